package api

import "time"

// PastSession is a session of an agent, read from its client's transcript.
type PastSession struct {
	ID      string    `json:"id"` // the client's
	Client  string    `json:"client"`
	Ref     string    `json:"ref"` // of its page
	Title   string    `json:"title"`
	Project string    `json:"project,omitempty"` // working directory
	Branch  string    `json:"branch,omitempty"`
	Started time.Time `json:"started_at"`
	Ended   time.Time `json:"ended_at"`
	Turns   int       `json:"turns"`
	Files   []string  `json:"files,omitempty"`
	Commits []string  `json:"commits,omitempty"`
	Open    []string  `json:"open,omitempty"`   // open steps at its end
	Resume  string    `json:"resume,omitempty"` // command line that resumes it
	Gone    bool      `json:"gone,omitempty"`   // the client deleted the transcript

	Unknown map[string]int `json:"unknown_lines,omitempty"` // lines of unknown types, by type
}

// PastSessions lists past sessions of agents, newest first.
type PastSessions struct {
	List[PastSession]
}
