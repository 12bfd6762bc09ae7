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

// GitPull is what a pull brought, or would bring.
type GitPull struct {
	Space     string        `json:"space"`
	Branch    string        `json:"branch"`
	Upstream  string        `json:"upstream"`
	Commits   int           `json:"commits"`          // of the remote, that were missing here
	Commit    string        `json:"commit,omitempty"` // that merges them; none where there was nothing to merge
	Files     []string      `json:"files"`            // that are others now
	Merged    []string      `json:"merged"`           // files that both sides changed
	Conflicts []GitConflict `json:"conflicts"`        // nothing was changed where there are any
	Broken    []Fault       `json:"broken"`           // faults that both together would have; as with conflicts
	DryRun    bool          `json:"dry_run,omitempty"`
}

// Changed reports whether anything is different after it.
func (p GitPull) Changed() bool {
	return !p.DryRun && len(p.Conflicts)+len(p.Broken) == 0 && (p.Commit != "" || len(p.Files) > 0)
}

// GitConflict is a file that both sides changed in ways that do not fit together.
type GitConflict struct {
	Path  string `json:"path"`
	Why   string `json:"why"`
	Here  string `json:"here"`  // what was done here, as a unified diff
	There string `json:"there"` // what was done there
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

	FetchedAt  *time.Time `json:"fetched_at,omitempty"`
	FetchError string     `json:"fetch_error,omitempty"`

	Error string `json:"error,omitempty"` // why git cannot tell
}
