package api

import (
	"fmt"
	"strings"
	"time"

	"github.com/cairn-kb/cairn/internal/kb"
)

// GitCommit is the outcome of a commit of edits by other programs in a guarded
// space.
type GitCommit struct {
	Space  string   `json:"space"`
	Commit string   `json:"commit,omitempty"` // id; "" when nothing was committed
	Files  []string `json:"files"`            // committed files, or those that would be
	Held   int      `json:"held,omitempty"`   // pending commits of writes that were made
	Left   []Fault  `json:"left"`             // reasons why other files are not committed
	Staged []string `json:"staged,omitempty"` // files staged by the user, which are left to the user
	DryRun bool     `json:"dry_run,omitempty"`

	Refused *GitRefusal `json:"refused,omitempty"` // reason why no more is committed, in the answer to another operation
}

// GitRefusal is the reason why files are not committed.
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
	Commits   int           `json:"commits"`          // commits of the remote that were missing here
	Commit    string        `json:"commit,omitempty"` // the merge commit; "" when nothing was merged
	Files     []string      `json:"files"`            // changed by the pull
	Merged    []string      `json:"merged"`           // files changed on both sides
	Conflicts []GitConflict `json:"conflicts"`        // nothing was changed if there are any
	Broken    []Fault       `json:"broken"`           // faults of the merged result; nothing was changed if there are any
	DryRun    bool          `json:"dry_run,omitempty"`
}

// Changed reports whether the pull made any change.
func (p GitPull) Changed() bool {
	return !p.DryRun && len(p.Conflicts)+len(p.Broken) == 0 && (p.Commit != "" || len(p.Files) > 0)
}

// GitConflict is a file with conflicting changes.
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
	Changed   int        `json:"changed,omitempty"`  // uncommitted files of the space
	Held      int        `json:"held,omitempty"`     // writes with pending commits
	HeldWhy   string     `json:"held_why,omitempty"`
	Failing   []string   `json:"failing,omitempty"` // files that were not committed because of fatal faults
	Refused   []string   `json:"refused,omitempty"` // files that a hook refuses to commit
	PushedAt  *time.Time `json:"pushed_at,omitempty"`
	PushError string     `json:"push_error,omitempty"`

	RefusedWhy string     `json:"refused_why,omitempty"`
	FetchedAt  *time.Time `json:"fetched_at,omitempty"`
	FetchError string     `json:"fetch_error,omitempty"`

	Error string `json:"error,omitempty"` // reason why git could not report the state
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

// GitTrouble is a problem of a repository that prevents commits or pushes.
type GitTrouble struct {
	Kind GitKind
	Text string
}

// GitKind is a kind of problem.
type GitKind string

// Kinds of problems.
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

// maxNames limits the files listed in a line.
const maxNames = 5

// Names lists paths in a line, the first few of many.
func Names(paths []string) string {
	named := strings.Join(paths[:min(len(paths), maxNames)], ", ")
	if more := len(paths) - maxNames; more > 0 {
		named += fmt.Sprintf(" and %d more", more)
	}
	return named
}

// Troubles returns the problems, most severe first.
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
