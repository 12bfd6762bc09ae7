package git

import (
	"bytes"
	"context"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sync/errgroup"

	"github.com/cairn-kb/cairn/internal/files/fsys"
	"github.com/cairn-kb/cairn/internal/kb"
)

// State is the state of a repository.
type State struct {
	Head     string // commit; "" before the first
	Branch   string // "" when there is none
	Upstream string // the remote branch that it follows, "" for none
	Ahead    int    // commits that the remote does not have, as it was when it was asked last
	Behind   int    // commits that are missing here
	Under    string // the operation in progress, such as "merge"; "" for none

	Staged  []string // paths in the Tree with something staged
	Changed []string // with other bytes than at Head
}

// begun are the files that mark an operation in progress.
var begun = []struct{ file, what string }{
	{"MERGE_HEAD", "merge"},
	{"rebase-merge", "rebase"},
	{"rebase-apply", "rebase"},
	{"CHERRY_PICK_HEAD", "cherry-pick"},
	{"REVERT_HEAD", "revert"},
	{"BISECT_LOG", "bisect"},
}

// under returns the operation that a person has in progress in the repository.
func (r *Repo) under() string {
	for _, b := range begun {
		if fsys.Exists(filepath.Join(r.Dir, b.file)) {
			return b.what
		}
	}
	return ""
}

// maxArgs is how many paths are handed to git as arguments; beyond, it looks at all.
const maxArgs = 200

// State reads the state of the repository and of the given paths of the Tree;
// without paths, of the whole Tree.
func (t *Tree) State(ctx context.Context, r *Repo, paths []string) (*State, error) {
	if err := t.know(ctx, r); err != nil {
		return nil, err
	}
	args := []string{"status", "--porcelain=v2", "--branch", "-z", "--ignore-submodules=all", "--no-renames"}
	if len(paths) > 0 {
		args = append(args, "--untracked-files=no")
	} else {
		args = append(args, "--untracked-files=all")
	}
	args = append(args, "--")
	if len(paths) > maxArgs || len(paths) == 0 {
		args = append(args, ".")
	} else {
		args = append(args, paths...)
	}
	out, err := t.git(ctx, run{args: args, with: unfiltered(r.settings)})
	if err != nil {
		return nil, err
	}
	s := &State{Under: r.under()}
	indexed := map[string]string{}
	for _, f := range fields(out) {
		s.read(f, r.Prefix)
		if parts := strings.SplitN(f, " ", 9); len(parts) == 9 && parts[0] == "1" && parts[1] == ".M" && parts[4] == parts[5] {
			if path, in := strings.CutPrefix(parts[8], r.Prefix); in {
				indexed[path] = parts[7]
			}
		}
	}
	s.asCommitted(r, indexed)
	return s, t.waiting(ctx, s, out)
}

// waiting counts the commits to push when git status does not: all commits, as
// long as the upstream branch does not exist.
func (t *Tree) waiting(ctx context.Context, s *State, status []byte) error {
	if s.Upstream == "" || s.Head == "" || bytes.Contains(status, []byte("# branch.ab ")) {
		return nil
	}
	n, err := t.line(ctx, "rev-list", "--count", "HEAD")
	if err == nil {
		s.Ahead, _ = strconv.Atoi(n)
	}
	return err
}

// read reads one entry of git status.
func (s *State) read(entry, prefix string) {
	kind, rest, _ := strings.Cut(entry, " ")
	switch kind {
	case "#":
		name, value, _ := strings.Cut(rest, " ")
		switch {
		case name == "branch.oid" && value != "(initial)":
			s.Head = value
		case name == "branch.head" && value != "(detached)":
			s.Branch = value
		case name == "branch.upstream":
			s.Upstream = value
		case name == "branch.ab":
			ahead, behind, _ := strings.Cut(value, " ")
			s.Ahead, _ = strconv.Atoi(strings.TrimPrefix(ahead, "+"))
			s.Behind, _ = strconv.Atoi(strings.TrimPrefix(behind, "-"))
		}
	case "1":
		parts := strings.SplitN(rest, " ", 8)
		if path, in := strings.CutPrefix(parts[len(parts)-1], prefix); in && len(parts) == 8 {
			if parts[0][0] != '.' {
				s.Staged = append(s.Staged, path)
			}
			s.Changed = append(s.Changed, path)
		}
	case "u":
		parts := strings.SplitN(rest, " ", 10)
		if path, in := strings.CutPrefix(parts[len(parts)-1], prefix); in {
			s.Staged, s.Changed = append(s.Staged, path), append(s.Changed, path)
		}
	case "?":
		if path, in := strings.CutPrefix(rest, prefix); in {
			s.Changed = append(s.Changed, path)
		}
	}
}

// Diverged reports whether both sides have commits that the other has not.
func (s *State) Diverged() bool { return s.Ahead > 0 && s.Behind > 0 }

// Level refuses, as kb.Conflict, a commit that would make the branch diverge
// from its upstream, or diverge further.
func (s *State) Level() error {
	switch {
	case s.Diverged():
		return kb.Errorf(kb.Conflict, "%s and %s have diverged: %d ahead, %d behind", s.Branch, s.Upstream, s.Ahead, s.Behind).WithHint(unchanged).WithReason(kb.GitDiverged)
	case s.Behind > 0:
		return kb.Errorf(kb.Conflict, "%s is %d behind %s", s.Branch, s.Behind, s.Upstream).WithHint(unchanged).WithReason(kb.GitBehind)
	}
	return nil
}

const unchanged = "Nothing was changed."

// Ready refuses, as kb.Conflict with a hint, a repository in which something is under way, or
// no branch is checked out.
func (s *State) Ready(hint string) error {
	switch {
	case s.Under != "":
		return underway(s.Under, hint)
	case s.Branch == "":
		return kb.Errorf(kb.Conflict, "the git repository is on no branch").WithHint("%s", hint).WithReason(kb.GitDetached)
	}
	return nil
}

// underway is the error for a repository in which something, such as a merge, is.
func underway(what, hint string) error {
	return kb.Errorf(kb.Conflict, "a %s is under way in the git repository", what).WithHint("%s", hint).WithReason(kb.GitUnderway).With("under", what)
}

// Unsaved refuses, as kb.Conflict, a path with unsaved edits in Emacs.
func (t *Tree) Unsaved(p string) error {
	at := t.locked(p)
	if at == "" {
		return nil
	}
	return kb.Errorf(kb.Conflict, "%s has unsaved edits in Emacs: %s exists", p, at).WithHint(unchanged).WithReason(kb.UnsavedEdits).With("path", p)
}

// Check refuses, as Committable does, writes to paths of the Tree, and to files with unsaved
// edits in Emacs.
func (t *Tree) Check(ctx context.Context, r *Repo, paths []string) (*State, error) {
	for _, p := range paths {
		if err := t.Unsaved(p); err != nil {
			return nil, err
		}
	}
	return t.Committable(ctx, r, paths)
}

// Committable refuses, as kb.Conflict with a remedy, paths of the Tree that could not be
// committed on their own. A Failure means that git could not report the state.
func (t *Tree) Committable(ctx context.Context, r *Repo, paths []string) (*State, error) {
	if err := t.permit(ctx, r, false); err != nil {
		return nil, err
	}
	for _, p := range paths {
		if in := t.nested(p); in != "" {
			return nil, kb.Errorf(kb.Conflict, "%s is in another git repository, %s", p, in).WithHint(unchanged).WithReason(kb.OtherRepository).With("path", p)
		}
	}
	index := r.readIndexFile("index")
	r.read = nil
	s, ignored, err := t.look(ctx, r, paths, index)
	if err != nil {
		return nil, err
	}
	r.checked.known, r.checked.head, r.checked.index = true, s.Head, index
	if err := s.Ready(unchanged); err != nil {
		return s, err
	}
	for _, p := range s.Staged {
		if slices.Contains(paths, p) {
			return s, kb.Errorf(kb.Conflict, "somebody has staged %s", p).WithHint(unchanged).WithReason(kb.GitStaged).With("path", p)
		}
	}
	if ignored != "" {
		return s, kb.Errorf(kb.Conflict, "git ignores %s", ignored).WithHint(unchanged).WithReason(kb.GitIgnored).With("path", ignored)
	}
	return s, t.inCheckout(ctx, r, paths)
}

// look returns the state of the repository at paths, and the first of them that git ignores.
func (t *Tree) look(ctx context.Context, r *Repo, paths []string, index []byte) (s *State, ignored string, err error) {
	if r.ordinary {
		if s, ok := t.readHere(r, paths, index); ok {
			return s, "", nil
		}
	}
	g, all := errgroup.WithContext(ctx)
	g.Go(func() (err error) { s, err = t.State(all, r, paths); return err })
	g.Go(func() (err error) { ignored, err = t.ignored(all, paths); return err })
	return s, ignored, g.Wait()
}

// ignored returns the first of paths that git ignores and does not track, ""
// for none.
func (t *Tree) ignored(ctx context.Context, paths []string) (string, error) {
	here := make([]string, len(paths)) // with what keeps a colon at its begin from being magic
	for i, p := range paths {
		here[i] = "./" + p
	}
	out, err := t.git(ctx, run{args: []string{"check-ignore", "-z", "--stdin"}, stdin: ended(here), plain: true})
	if exitOf(err) == 1 { // no path is ignored
		err = nil
	}
	if first := fields(out); len(first) > 0 && err == nil {
		return strings.TrimPrefix(first[0], "./"), nil
	}
	return "", err
}

// inCheckout refuses paths outside of a sparse checkout.
func (t *Tree) inCheckout(ctx context.Context, r *Repo, paths []string) error {
	if !r.on(sparse) {
		return nil
	}
	for _, p := range paths {
		for at := p; at != "."; at = filepath.ToSlash(filepath.Dir(at)) {
			out, err := t.git(ctx, run{args: []string{"ls-files", "-t", "-z", "--", at}})
			if err != nil {
				return err
			}
			listed := fields(out)
			if slices.ContainsFunc(listed, func(l string) bool { return strings.HasPrefix(l, "S ") }) && !slices.ContainsFunc(listed, func(l string) bool { return strings.HasPrefix(l, "H ") }) {
				return kb.Errorf(kb.Conflict, "%s is outside of the sparse checkout", p).WithHint(unchanged).WithReason(kb.GitSparse).With("path", p)
			}
			if len(listed) > 0 {
				break
			}
		}
	}
	return nil
}

// ended puts a NUL after each text.
func ended(texts []string) []byte {
	var b bytes.Buffer
	for _, s := range texts {
		b.WriteString(s)
		b.WriteByte(0)
	}
	return b.Bytes()
}
