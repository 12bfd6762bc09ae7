package write

import (
	"cmp"
	"context"
	"errors"

	"github.com/cairn-kb/cairn/internal/doc/indexfile"
	"github.com/cairn-kb/cairn/internal/files/git"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory/index"
	"github.com/cairn-kb/cairn/internal/store"
)

// hold notes which commits of a record wait.
func hold(ctx context.Context, tx store.Tx, guardeds []*guarded, rec *record) error {
	for _, g := range guardeds {
		if g.held == nil {
			continue
		}
		h := PendingCommit{Time: rec.Time, Actor: rec.Actor, Operation: rec.Operation, Message: rec.Message, Base: g.base, Why: g.held.Error()}
		for _, c := range g.changes(rec) {
			f := PendingFile{Path: c.Path}
			if c.New != nil {
				hash := index.Hash(c.New)
				f.Hash = &hash
			}
			h.Files = append(h.Files, f)
		}
		if len(h.Files) == 0 {
			continue
		}
		if err := AddPendingCommit(ctx, tx, g.space.ID, h); err != nil {
			return err
		}
	}
	return nil
}

// Repository locks a guarded space and its git repository, so that nothing of ours
// changes either until they are unlocked.
func (w *Writer) Repository(ctx context.Context, space *Space) (tree *git.Tree, repo *git.Repo, unlock func() error, err error) {
	leave, err := w.enter(ctx, []*Space{space}, nil)
	if err != nil {
		return nil, nil, nil, err
	}
	tree = space.Tree()
	if repo, err = tree.Open(ctx); err != nil {
		return nil, nil, nil, errors.Join(err, leave())
	}
	release, err := repo.Lock(ctx, store.Patience(ctx, store.BusyTime))
	if err != nil {
		return nil, nil, nil, errors.Join(err, leave())
	}
	if err := tree.Settle(ctx, repo); err != nil {
		return nil, nil, nil, errors.Join(err, release(), leave())
	}
	return tree, repo, func() error { return errors.Join(release(), leave()) }, nil
}

// CommitPending makes the deferred commits of a space, and returns how many it
// made. The error is why others remain.
func (w *Writer) CommitPending(ctx context.Context, space *Space) (n int, err error) {
	before, err := pendingCommits(ctx, w, space)
	if err != nil || len(before) == 0 || !space.Guards() {
		return 0, err
	}
	g := &guarded{space: space}
	var unlock func() error
	if g.tree, g.repo, unlock, err = w.Repository(ctx, space); err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, unlock()) }()
	return w.commitPending(ctx, g)
}

// pendingCommits returns the writes of a space with deferred commits.
func pendingCommits(ctx context.Context, w *Writer, space *Space) (all []PendingCommit, err error) {
	err = w.Memory.View(ctx, func(tx store.Tx) error {
		all, err = PendingCommits(ctx, tx, space.ID)
		return err
	})
	return all, err
}

// commitPending makes the deferred commits in order, records each, and returns how
// many were made. Commits of files that others have committed since are
// dropped.
func (w *Writer) commitPending(ctx context.Context, g *guarded) (made int, err error) {
	all, err := pendingCommits(ctx, w, g.space)
	if err != nil || len(all) == 0 {
		return 0, err
	}
	head, err := g.tree.Head(ctx, g.repo)
	if err != nil {
		return 0, err
	}
	stale := make([]bool, len(all))
	for i, h := range all {
		var paths []string
		for _, f := range h.Files {
			if !IsCatalog(g.space, f.Path) { // which every commit changes
				paths = append(paths, f.Path)
			}
		}
		err := g.tree.Moved(ctx, g.repo, cmp.Or(h.Base, head), head, paths) // without one nothing shows a commit by others
		if stale[i] = errors.Is(err, git.ErrMoved); err != nil && !stale[i] {
			return 0, err
		}
	}
	var refused HookRefusal
	for i, h := range all {
		if !stale[i] {
			err := commitOne(ctx, w, g, h, i == len(all)-1)
			var no *git.Refusal
			switch {
			case err == nil:
				made++
			case h.Base == "" && errors.As(err, &no): // files of no page stay, and status names them
				for _, f := range h.Files {
					refused.Files = append(refused.Files, f.Path)
				}
				refused.Why = no.Error()
			default:
				return made, err
			}
		}
		err := w.Memory.Update(ctx, func(tx store.Tx) error {
			err := SetPendingCommits(ctx, tx, g.space.ID, all[i+1:])
			if err == nil && len(refused.Files) > 0 {
				err = SetHookRefusal(ctx, tx, g.space.ID, refused)
			}
			return err
		})
		if err != nil {
			return made, err
		}
	}
	g.base, err = g.tree.Head(ctx, g.repo)
	return made, err
}

// commitOne makes a commit that waits. The last one has the index files as they are: these
// have no history.
func commitOne(ctx context.Context, w *Writer, g *guarded, h PendingCommit, last bool) error {
	var changes []git.Change
	for _, f := range h.Files {
		c := git.Change{Path: f.Path}
		if f.Hash != nil {
			err := w.Memory.View(ctx, func(tx store.Tx) (err error) {
				c.New, err = tx.History().Bytes(ctx, *f.Hash)
				return err
			})
			if kb.CodeOf(err) == kb.NotFound {
				// Not a page's, or pruned: then a newer version exists, which
				// has its own commit.
				if c.New, err = bytesAt(ctx, g.space.Files, f.Path); index.Hash(c.New) != *f.Hash && !(last && IsCatalog(g.space, f.Path) && indexfile.Made(c.New)) {
					continue
				}
			}
			if err != nil {
				return err
			}
			if c.New == nil {
				c.New = []byte{}
			}
		}
		changes = append(changes, c)
	}
	if len(changes) == 0 {
		return nil
	}
	head, err := g.tree.Head(ctx, g.repo)
	if err != nil {
		return err
	}
	_, err = g.tree.Commit(ctx, g.repo, g.commit(h.Of(), head, changes))
	return err
}
