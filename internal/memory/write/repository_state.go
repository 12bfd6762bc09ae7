package write

import (
	"context"
	"errors"
	"io/fs"
	"maps"
	"slices"
	"strings"

	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/files/fsys"
	"github.com/cairn-kb/cairn/internal/files/git"
	"github.com/cairn-kb/cairn/internal/files/vault"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory/index"
	"github.com/cairn-kb/cairn/internal/policy"
)

// keptBeside are files that configure the directory of a space.
var keptBeside = []string{policy.FileName, vault.IgnoreFile, ".gitignore", ".gitattributes"}

// beside reports whether a path is a sidecar, a source, an index file, or one
// of keptBeside.
func beside(space *Space, path string) bool {
	_, side := vault.SidecarOf(path)
	dir := space.Policy.Sources.Dir
	if fsys.IsTemp(path) {
		return false
	}
	return side || dir != "" && strings.HasPrefix(path, dir+"/") || slices.Contains(keptBeside, path) || IsCatalog(space, path)
}

// IsCatalog reports whether a path is of an index file.
func IsCatalog(space *Space, path string) bool {
	return hasCatalog(space) && (&cataloguer{space: space}).options().Owns(path)
}

// Outside returns the state of the repository of a guarded space. Changed are
// the files of the space that differ from the checked-out commit, without those
// in Staged, which the user has staged.
func (w *Writer) Outside(ctx context.Context, space *Space) (*git.State, error) {
	tree := space.Tree()
	repo, err := tree.Open(ctx)
	if err != nil {
		return nil, err
	}
	state, err := tree.State(ctx, repo, nil)
	if err != nil {
		return nil, err
	}
	var changed, staged []string
	for _, p := range state.Changed {
		switch {
		case !beside(space, p) && (doc.ForPath(w.Codecs, p) == nil || space.CheckPath(p) != nil): // not ours
		case slices.Contains(state.Staged, p):
			staged = append(staged, p)
		default:
			changed = append(changed, p)
		}
	}
	state.Changed, state.Staged = changed, staged
	return state, nil
}

// Outsiders are files that other programs wrote, in a commit.
type Outsiders struct {
	Commit string
	Files  []string
}

// CommitOutside commits files that other programs wrote, as a write, with the bytes that the
// index has: one that was changed since it was read stays for the next time.
func (w *Writer) CommitOutside(ctx context.Context, space *Space, paths []string, wr kb.Write) (out Outsiders, err error) {
	g := &guarded{space: space}
	var unlock func() error
	if g.tree, g.repo, unlock, err = w.Repository(ctx, space); err != nil {
		return out, err
	}
	defer func() { err = errors.Join(err, unlock()) }()
	state, err := g.tree.Committable(ctx, g.repo, paths)
	if err != nil {
		return out, err
	}
	var changes []git.Change
	for _, p := range paths {
		now, known, err := w.asIndexed(ctx, space, p)
		if err != nil {
			return out, err
		}
		if known {
			changes = append(changes, git.Change{Path: p, New: now})
			out.Files = append(out.Files, p)
		}
	}
	if len(changes) == 0 {
		return out, nil
	}
	wr.Time = w.Now()
	commit := g.commit(wr, state.Head, changes)
	commit.Follow = func(ctx context.Context, rewritten map[string][]byte) ([]git.Change, error) {
		return w.followPages(ctx, space, rewritten)
	}
	done, err := g.tree.Commit(context.WithoutCancel(ctx), g.repo, commit)
	var no *git.Refusal
	if errors.As(err, &no) {
		return Outsiders{}, kb.Errorf(kb.Refused, "%s", no.Error()).WithHint("Nothing was committed; the files stay as they are.").WithReason(kb.HookRefused).With("hook", no.Hook).Because(err)
	}
	if err != nil {
		return Outsiders{}, kb.Errorf(kb.Conflict, "it cannot be committed now: %w", err).WithHint("The files stay as they are.")
	}
	for _, path := range slices.Sorted(maps.Keys(done.Rewritten)) {
		was, err := bytesAt(ctx, space.Files, path)
		if i := slices.IndexFunc(changes, func(c git.Change) bool { return c.Path == path }); i >= 0 {
			was = changes[i].New
		} else if err != nil {
			return out, err
		}
		text := done.Rewritten[path]
		if text == nil || was == nil && !IsCatalog(space, path) {
			continue
		}
		pre := fsys.Unchanged(was)
		if was == nil {
			pre = fsys.Absent()
		}
		err = fsys.WriteAtomic(ctx, space.Files, path, text, pre, fsys.WriteOptions{})
		if err != nil && !errors.Is(err, fsys.ErrChanged) && !errors.Is(err, fsys.ErrNotDurable) {
			return out, fsys.Explain(err, "write %s", path)
		}
	}
	out.Commit = done.ID
	return out, nil
}

// followPages are the changes to index files that follow from pages which a hook rewrote.
func (w *Writer) followPages(ctx context.Context, space *Space, rewritten map[string][]byte) ([]git.Change, error) {
	pages := map[string][]byte{}
	for path, text := range rewritten {
		if text != nil && doc.ForPath(w.Codecs, path) != nil && space.CheckPath(path) == nil {
			pages[path] = text
		}
	}
	if len(pages) == 0 {
		return nil, nil
	}
	_, files, err := w.Foresee(ctx, space, pages)
	return files, err
}

// asIndexed returns the bytes of a file, nil without one, and whether they
// equal the indexed ones.
func (w *Writer) asIndexed(ctx context.Context, space *Space, path string) (now []byte, known bool, err error) {
	now, err = bytesAt(ctx, space.Files, path)
	if errors.Is(err, fs.ErrPermission) {
		return nil, false, nil
	}
	if err != nil {
		return nil, false, err
	}
	if beside(space, path) {
		return now, true, nil
	}
	row, err := w.rowAt(ctx, space, path)
	if err != nil {
		return nil, false, err
	}
	if row == nil || now == nil {
		return now, row == nil && now == nil, nil
	}
	return now, row.Hash == index.Hash(now), nil
}
