package api

import (
	"fmt"
	"strings"
	"time"

	"github.com/cairn-kb/cairn/internal/kb"
)

// GitCommit is what became of edits by other programs in a guarded space.
type GitCommit struct {
	Space  string   `json:"space"`
	Commit string   `json:"commit,omitempty"` // id; "" when nothing was committed
	Files  []string `json:"files"`            // that are in it, or would be
	Held   int      `json:"held,omitempty"`   // commits of writes that had waited, and are made
	Left   []Fault  `json:"left"`             // why other files are not committed
	Staged []string `json:"staged,omitempty"` // files that the user has staged, and that are left to them
	DryRun bool     `json:"dry_run,omitempty"`

	Refused *GitRefusal `json:"refused,omitempty"` // why nothing more is committed, in an answer to something else
}

// GitRefusal is why files are not committed.
type GitRefusal struct {
	Code    kb.Code  `json:"code"`
	Message string   `json:"message"`
	Hint    string   `json:"hint,omitempty"`
	Files   []string `json:"files,omitempty"`
}

// GitPush is the result of a push.
type GitPush struct {
	Space    string `json:"space"`
	Branch   string `json:"branch"`
	Upstream string `json:"upstream"`
	Pushed   int    `json:"pushed"` // commits
}

// GitPull is the result of a pull, or its preview.
type GitPull struct {
	Space     string        `json:"space"`
	Branch    string        `json:"branch"`
	Upstream  string        `json:"upstream"`
	Commits   int           `json:"commits"`          // of the remote, that were missing here
	Commit    string        `json:"commit,omitempty"` // the merge commit; "" when nothing was merged
	Files     []string      `json:"files"`            // changed by the pull
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
	Here  string `json:"here"`  // changes made here, as a unified diff
	There string `json:"there"` // changes made on the remote
}

// GitState is the state of the repository of a guarded space.
type GitState struct {
	Space     string     `json:"space"`
	Branch    string     `json:"branch,omitempty"`
	Upstream  string     `json:"upstream,omitempty"`
	Ahead     int        `json:"ahead"`
	Behind    int        `json:"behind"`
	Diverged  bool       `json:"diverged,omitempty"`
	Underway  string     `json:"underway,omitempty"` // such as merge
	Changed   int        `json:"changed,omitempty"`  // files of the space that are not committed
	Held      int        `json:"held,omitempty"`     // writes that wait for their commits
	HeldWhy   string     `json:"held_why,omitempty"`
	Failing   []string   `json:"failing,omitempty"` // files that were not committed because of fatal faults
	Refused   []string   `json:"refused,omitempty"` // files that a hook keeps from being committed
	PushedAt  *time.Time `json:"pushed_at,omitempty"`
	PushError string     `json:"push_error,omitempty"`

	RefusedWhy string     `json:"refused_why,omitempty"`
	FetchedAt  *time.Time `json:"fetched_at,omitempty"`
	FetchError string     `json:"fetch_error,omitempty"`

	Error string `json:"error,omitempty"` // why git could not report the state
}

// BranchStatus returns the branch and how far it is ahead of and behind its remote.
func (s GitState) BranchStatus() string {
	var out string
	switch {
	case s.Error != "":
		return s.Error
	case s.Branch == "":
		out = "on no branch"
	case s.Upstream == "":
		out = fmt.Sprintf("on %s, which follows no branch of a remote", s.Branch)
	default:
		out = fmt.Sprintf("on %s, %d ahead of %s and %d behind", s.Branch, s.Ahead, s.Upstream, s.Behind)
	}
	if s.Changed > 0 {
		out += ", " + Plural(s.Changed, "file") + " not committed"
	}
	return out
}

// Summary returns Stands and the problems as one line.
func (s GitState) Summary() string {
	out := s.BranchStatus()
	for _, t := range s.Troubles() {
		if t.Text != out {
			out += "; " + t.Text
		}
	}
	return out
}

// GitTrouble is something about a repository that keeps changes from being committed or
// pushed.
type GitTrouble struct {
	Kind GitKind
	Text string
}

// GitKind is a kind of trouble.
type GitKind string

// The kinds of trouble.
const (
	GitUnknown  GitKind = "unknown"
	GitHeld     GitKind = "held"
	GitUnderway GitKind = "underway"
	GitDetached GitKind = "detached"
	GitDiverged GitKind = "diverged"
	GitFailing  GitKind = "failing"
	GitRefused  GitKind = "refused"
	GitUnpushed GitKind = "unpushed"
	GitSilent   GitKind = "silent"
)

// maxNames is how many files are named in a line.
const maxNames = 5

// Names are paths in a line, the first few of many.
func Names(paths []string) string {
	named := strings.Join(paths[:min(len(paths), maxNames)], ", ")
	if more := len(paths) - maxNames; more > 0 {
		named += fmt.Sprintf(" and %d more", more)
	}
	return named
}

// Troubles returns the problems, the worst first.
func (s GitState) Troubles() (out []GitTrouble) {
	add := func(is bool, kind GitKind, format string, args ...any) {
		if is {
			out = append(out, GitTrouble{kind, fmt.Sprintf(format, args...)})
		}
	}
	add(s.Error != "", GitUnknown, "%s", s.Error)
	add(s.Held > 0, GitHeld, "%s without a commit: %s", Plural(s.Held, "write"), s.HeldWhy)
	add(s.Underway != "", GitUnderway, "a %s is under way", s.Underway)
	add(s.Error == "" && s.Branch == "", GitDetached, "the repository is on no branch")
	add(s.Diverged, GitDiverged, "%s and %s have diverged: %d ahead, %d behind", s.Branch, s.Upstream, s.Ahead, s.Behind)
	add(len(s.Failing) > 0, GitFailing, "not committed because of fatal faults: %s", Names(s.Failing))
	add(len(s.Refused) > 0, GitRefused, "not committed: %s: %s", Names(s.Refused), s.RefusedWhy)
	unpushed := s.PushError != "" && s.Ahead > 0 && !s.Diverged
	add(unpushed, GitUnpushed, "%s not pushed: %s", Plural(s.Ahead, "commit"), s.PushError)
	add(s.FetchError != "" && !unpushed && !s.Diverged, GitSilent, "the remote could not be asked: %s", s.FetchError)
	return out
}
