package api

import "time"

// GitCommit is what became of edits by other programs in a guarded space.
type GitCommit struct {
	Space  string   `json:"space"`
	Commit string   `json:"commit,omitempty"` // id; none where nothing was to be committed
	Files  []string `json:"files"`            // that are in it, or would be
	Held   int      `json:"held,omitempty"`   // commits of writes that had waited, and are made
	Left   []Fault  `json:"left"`             // why other files are not committed
	Staged []string `json:"staged,omitempty"` // files that the user has staged, and that are left to them
	DryRun bool     `json:"dry_run,omitempty"`
}

// GitPush is what a push did.
type GitPush struct {
	Space    string `json:"space"`
	Branch   string `json:"branch"`
	Upstream string `json:"upstream"`
	Pushed   int    `json:"pushed"` // commits
}

// GitState is how the repository of a guarded space stands.
type GitState struct {
	Branch    string     `json:"branch,omitempty"`
	Upstream  string     `json:"upstream,omitempty"`
	Ahead     int        `json:"ahead"`
	Behind    int        `json:"behind"`
	Diverged  bool       `json:"diverged,omitempty"`
	Underway  string     `json:"underway,omitempty"` // such as merge
	Held      int        `json:"held,omitempty"`     // writes that wait for their commits
	HeldWhy   string     `json:"held_why,omitempty"`
	Failing   []string   `json:"failing,omitempty"` // files that were not committed because of fatal faults
	PushedAt  *time.Time `json:"pushed_at,omitempty"`
	PushError string     `json:"push_error,omitempty"`
	Error     string     `json:"error,omitempty"` // why git cannot tell
}
