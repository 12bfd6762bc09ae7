package api

import "time"

// PastSession is a session of an agent, as its client's transcript has it.
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
	Open    []string  `json:"open,omitempty"`   // what it left open
	Resume  string    `json:"resume,omitempty"` // command line that opens it again
	Gone    bool      `json:"gone,omitempty"`   // the client deleted the transcript

	Unknown map[string]int `json:"unknown_lines,omitempty"` // that the format does not explain, by type
}

// PastSessions are past sessions of agents, the newest first.
type PastSessions struct {
	List[PastSession]
}
