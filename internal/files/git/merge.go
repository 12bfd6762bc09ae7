package git

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"

	"github.com/cairn-kb/cairn/internal/kb"
)

// Regular reports whether an entry is a file, and not a link or a repository.
func (e Entry) Regular() bool { return strings.HasPrefix(e.Mode, "100") }

// Difference is the entry of a path in two commits.
type Difference struct{ From, To Entry }

// Differences are the paths in the work tree at which two commits differ.
func (t *Tree) Differences(ctx context.Context, from, to string) (map[string]Difference, error) {
	out, err := t.git(ctx, run{args: []string{"diff-tree", "-r", "-z", "--raw", "--no-abbrev", "--no-renames", "--ignore-submodules=none", from, to}})
	if err != nil {
		return nil, err
	}
	all := map[string]Difference{}
	listed := fields(out)
	for i := 0; i+1 < len(listed); i += 2 {
		about := strings.Fields(strings.TrimPrefix(listed[i], ":"))
		if len(about) < 4 {
			return nil, &Failure{Command: "diff-tree", Said: "an answer that cannot be read"}
		}
		all[listed[i+1]] = Difference{entryOf(about[0], about[2]), entryOf(about[1], about[3])}
	}
	return all, nil
}

// entryOf converts an entry in git's notation; a mode of zeros is the zero
// Entry.
func entryOf(mode, id string) Entry {
	if strings.Trim(mode, "0") == "" {
		return Entry{}
	}
	return Entry{mode, id}
}

// Upstream is the commit of the branch that the one checked out follows, as the remote
// was when it was asked last.
func (t *Tree) Upstream(ctx context.Context) (string, error) {
	return t.line(ctx, "rev-parse", "--verify", "--quiet", "@{upstream}^{commit}")
}

// Bases are the best common ancestors of two commits, possibly none.
func (t *Tree) Bases(ctx context.Context, a, b string) ([]string, error) {
	out, err := t.line(ctx, "merge-base", "--all", a, b)
	if exitOf(err) == 1 {
		return nil, nil
	}
	return strings.Fields(out), err
}

// Rewritten returns a commit that the upstream branch had once, that ours is
// based on, and that it no longer contains: its history was rewritten. It is ""
// otherwise.
func (t *Tree) Rewritten(ctx context.Context, ours, theirs string) (string, error) {
	was, err := t.line(ctx, "merge-base", "--fork-point", "@{upstream}", ours)
	if exitOf(err) == 1 {
		return "", nil // git has no record of its history
	}
	if err != nil {
		return "", err
	}
	_, err = t.git(ctx, run{args: []string{"merge-base", "--is-ancestor", was, theirs}})
	if exitOf(err) == 1 {
		return was, nil
	}
	return "", err
}

// Text is the bytes of an entry as the work tree would have them at a path.
func (t *Tree) Text(ctx context.Context, at string, e Entry) ([]byte, error) {
	if err := t.permitTexts(ctx); err != nil {
		return nil, err
	}
	out, err := t.git(ctx, run{args: []string{"cat-file", "--filters", "--path=" + at, e.ID}, acts: true})
	if err == nil && out == nil {
		out = []byte{}
	}
	return out, err
}

// Committed returns the texts that files have in the checked-out commit, by path; those
// that it does not have are absent.
func (t *Tree) Committed(ctx context.Context, r *Repo, paths []string) (map[string][]byte, error) {
	head, err := t.Head(ctx, r)
	if err != nil {
		return nil, err
	}
	entries, err := t.treeEntries(ctx, head, paths)
	if err != nil {
		return nil, err
	}
	out := map[string][]byte{}
	for path, e := range entries {
		if out[path], err = t.Text(ctx, r.Prefix+path, e); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// Overlap refuses, as kb.Conflict, to put other files in place of some that somebody is at:
// files with changes that are not committed, and files that git does not know, ignored ones
// too.
func (t *Tree) Overlap(ctx context.Context, r *Repo, differences map[string]Difference) error {
	s, err := t.State(ctx, r, []string{"."})
	if err != nil {
		return err
	}
	if err := s.Ready(unchanged); err != nil {
		return err
	}
	var at []string
	for p, d := range differences {
		if err := t.Unsaved(p); err != nil {
			return err
		}
		if slices.Contains(s.Changed, p) || d.From == (Entry{}) && t.taken(p, differences) {
			at = append(at, p)
		}
	}
	if len(at) == 0 {
		return nil
	}
	slices.Sort(at)
	named := strings.Join(at[:min(len(at), maxNamed)], ", ")
	if more := len(at) - maxNamed; more > 0 {
		named += fmt.Sprintf(" and %d more", more)
	}
	return kb.Errorf(kb.Conflict, "not committed here, and changed in %s: %s", cmp.Or(s.Upstream, "the other commit"), named).
		WithHint(unchanged).WithReason(kb.GitInTheWay).With("path", at[0])
}

// maxNamed is how many files an error names.
const maxNamed = 5

// taken reports whether there is something at a path that a commit adds, or a file where it
// needs a directory.
func (t *Tree) taken(p string, differences map[string]Difference) bool {
	for at := p; at != "."; at = path.Dir(at) {
		info, err := os.Lstat(filepath.Join(t.Dir, filepath.FromSlash(at)))
		switch {
		case err != nil:
			continue
		case at == p && !info.IsDir():
			return true
		case at != p && !info.IsDir():
			// It may be one that goes.
			d, known := differences[at]
			return !known || d.To != (Entry{})
		}
	}
	return false
}

// FastForward moves the branch to a descendant, and updates the files, which
// have these differences. Uncommitted changes of the user prevent it: see
// Overlap. The caller holds the lock of the repository.
func (t *Tree) FastForward(ctx context.Context, r *Repo, to string, differences map[string]Difference, skipHooks bool) error {
	if err := t.Overlap(ctx, r, differences); err != nil {
		return err
	}
	if err := t.permit(ctx, r, false); err != nil {
		return err
	}
	args := []string{"merge", "--ff-only", "--no-autostash", "--quiet", "--no-stat", to}
	if skipHooks {
		args = append([]string{"-c", "core.hooksPath=" + os.DevNull}, args...)
	}
	_, err := t.git(ctx, run{args: args, hook: true, limit: cmp.Or(t.Limits.Far, farLimit)})
	return err
}

// Join makes a merge commit of two, which no branch has yet: ours, but for these entries and
// the changes of c. A Refusal is a hook's no. The Tree is the whole work tree, and the caller
// holds the lock of the repository.
func (t *Tree) Join(ctx context.Context, r *Repo, ours, theirs string, entries map[string]Entry, c Commit) (id string, err error) {
	if err := t.permit(ctx, r, false); err != nil {
		return "", err
	}
	w, err := t.workshop(r)
	if err != nil {
		return "", err
	}
	defer w.close()
	if err := w.take(); err != nil {
		return "", err
	}
	if err := w.reset(ctx, ours); err != nil {
		return "", err
	}
	ids, err := w.blobs(ctx, c.Changes)
	if err != nil {
		return "", err
	}
	made := map[string]Entry{}
	var paths []string
	for p, e := range entries {
		if paths = append(paths, p); e != (Entry{}) {
			made[p] = e
		}
	}
	for _, ch := range c.Changes {
		if !slices.Contains(paths, ch.Path) {
			paths = append(paths, ch.Path)
		}
		if ch.New == nil {
			delete(made, ch.Path)
			continue
		}
		made[ch.Path] = Entry{cmp.Or(made[ch.Path].Mode, plainFile), ids[ch.Path]}
	}
	slices.Sort(paths)
	if err := w.set(ctx, w.at(ourIndex), paths, made); err != nil {
		return "", err
	}
	if !c.SkipHook {
		if err := w.hook(ctx, "pre-merge-commit"); err != nil {
			return "", err
		}
	}
	return w.object(ctx, c, "", ours, theirs)
}

// maxAtOnce is how many runs of git of one kind go on at the same time.
const maxAtOnce = 4

// blobs stores the bytes of changes, as they are in a commit, and returns their ids by path.
func (w *workshop) blobs(ctx context.Context, changes []Change) (map[string]string, error) {
	plain, err := w.plainBlobs(ctx, changes)
	if err != nil {
		return nil, err
	}
	stored := make([]string, len(changes))
	g, all := errgroup.WithContext(ctx)
	g.SetLimit(maxAtOnce)
	for i, ch := range changes {
		if ch.New == nil {
			continue
		}
		g.Go(func() (err error) {
			if plain[ch.Path] {
				stored[i], err = w.write("blob", ch.New)
				return err
			}
			id, err := w.t.git(all, run{args: []string{"hash-object", "-w", "--stdin", "--path=" + ch.Path}, stdin: ch.New, acts: true})
			stored[i] = strings.TrimSpace(string(id))
			return err
		})
	}
	if err := g.Wait(); err != nil {
		return nil, err
	}
	ids := map[string]string{}
	for i, ch := range changes {
		if ch.New != nil {
			ids[ch.Path] = stored[i]
		}
	}
	return ids, nil
}

// Combine applies the changes from base to ours to theirs, line by line; ok is
// false when both changed the same lines, and when one of the three is not
// text.
func (t *Tree) Combine(ctx context.Context, r *Repo, base, ours, theirs []byte) (text []byte, ok bool, err error) {
	w, err := t.workshop(r)
	if err != nil {
		return nil, false, err
	}
	defer w.close()
	names := []string{w.at("ours"), w.at("base"), w.at("theirs")}
	args := []string{"merge-file", "-p", "-q"}
	for i, b := range [][]byte{ours, base, theirs} {
		f, err := w.files.Create(names[i], 0o644)
		if err != nil {
			return nil, false, err
		}
		_, err = f.Write(b)
		if err = errors.Join(err, f.Close()); err != nil {
			return nil, false, err
		}
		args = append(args, w.path(names[i]))
	}
	text, err = t.git(ctx, run{args: args, plain: true})
	if exitOf(err) > 0 {
		return nil, false, nil
	}
	return bytes.Clone(text), err == nil, err
}

// Owns reports whether a path of the repository is one of the Tree, and which.
func (r *Repo) Owns(p string) (in string, ok bool) { return strings.CutPrefix(p, r.Prefix) }
