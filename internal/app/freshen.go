package app

import (
	"context"
	"fmt"
	"slices"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/fsys"
	"github.com/cairn-kb/cairn/internal/index"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/reconcile"
	"github.com/cairn-kb/cairn/internal/ref"
	"github.com/cairn-kb/cairn/internal/space"
	"github.com/cairn-kb/cairn/internal/store"
	"github.com/cairn-kb/cairn/internal/write"
)

// FreshenRequest says which directories to look through for changed files.
type FreshenRequest struct {
	All      bool // of every space, else of those that are meant
	New      bool // only those that were never synced
	Progress func(space, phase string, done, total int)
}

// Freshen syncs directories before something else is asked about them, as a
// search does by itself. What went wrong comes back as notes for people: what
// the last sync saw is better than nothing. It fails where there was none yet.
func (a *App) Freshen(ctx context.Context, req FreshenRequest) (notes []string, err error) {
	s, spaces, err := a.spaces.Chosen(ctx)
	if err != nil {
		return nil, err
	}
	if s.Row != 0 && !req.All {
		spaces = []kb.Space{s}
	}
	if req.New {
		spaces = slices.DeleteFunc(spaces, func(s kb.Space) bool { return !s.Synced.IsZero() })
	}
	f, err := a.fresh.toRead(ctx, spaces, req.Progress)
	return f.notes, err
}

// freshened is what came of a sync before other work.
type freshened struct {
	reports []SyncReport
	stale   []kb.Space // directories that could not be synced
	unread  int        // files that changed and could not be read
	notes   []string   // what went wrong
}

func (f freshened) changed() bool {
	return slices.ContainsFunc(f.reports, func(r SyncReport) bool { return r.Changes() > 0 })
}

// freshener makes the index agree with files before something is asked about
// them.
type freshener struct {
	db       store.Engine
	registry *space.Registry
	refs     *ref.Resolver
	hint     kb.Hinter
	writer   *write.Writer
	syncer   *reconcile.Syncer
	follower *reconcile.Follower // nil where each question looks for itself
	notices  *notices
}

// toRead is spaces for who only reads, and so waits for no writer: for
// none at all after the first that was waited for in vain.
func (f *freshener) toRead(ctx context.Context, spaces []kb.Space, progress func(space, phase string, done, total int)) (freshened, error) {
	return f.spaces(store.WithPatience(ctx, store.ReadPatience), spaces, progress)
}

// spaces syncs those of spaces that are directories. It fails where there is
// nothing to go on with: for the only space, when it was never synced.
func (f *freshener) spaces(ctx context.Context, spaces []kb.Space, progress func(space, phase string, done, total int)) (out freshened, err error) {
	out.notes = f.notices.take()
	for _, sp := range spaces {
		if sp.Kind != kb.DirectorySpace {
			if sp.Derivation < index.Derivation {
				// What is known is better than nothing, and it is tried again.
				_ = f.syncer.Rederive(ctx, sp)
			}
			continue
		}
		r, err := f.sync(ctx, sp, SyncRequest{Progress: progress, toRead: true})
		if err != nil {
			busy := store.IsBusy(err)
			if ctx.Err() != nil || len(spaces) == 1 && sp.Synced.IsZero() && !busy {
				return out, err
			}
			out.stale = append(out.stale, sp)
			if busy {
				ctx = store.WithPatience(ctx, 0)
				out.notes = append(out.notes, fmt.Sprintf("%s was not looked through for changes, since others are writing in it: the answer is as of what was indexed before", sp.Name))
				continue
			}
			out.notes = append(out.notes, fmt.Sprintf("%s was not looked through for changes: %s", sp.Name, api.Note(kb.AsError(err), f.hint)))
			continue
		}
		out.unread += len(r.Failed) + len(r.LeftOut)
		out.reports = append(out.reports, r)
	}
	if out.unread > 0 {
		out.notes = append(out.notes, api.Plural(out.unread, "file")+" could not be read and may be missing: cairn sync says why")
	}
	return out, nil
}

// find resolves a ref, by Resolve or ResolveToChange, to a page and its space. A
// page that is not there may be in a file that no sync has seen: then it looks for
// changed files, and once more.
func (f *freshener) find(ctx context.Context, raw string, resolve func(context.Context, store.Tx, string) (kb.Page, error)) (p kb.Page, home kb.Space, err error) {
	var spaces []kb.Space
	look := func() error {
		return f.db.View(ctx, func(tx store.Tx) error {
			if p, err = resolve(ctx, tx, raw); err == nil {
				home, err = space.OfPage(ctx, tx, p)
				return err
			}
			missing := err
			if spaces, err = tx.Spaces().All(ctx); err != nil {
				return err
			}
			return missing
		})
	}
	missing := look()
	if kb.CodeOf(missing) != kb.NotFound {
		return p, home, missing
	}
	if name := ref.Parse(raw, spaces).Space; name != "" {
		spaces = slices.DeleteFunc(spaces, func(s kb.Space) bool { return s.Name != name })
	}
	came, err := f.spaces(ctx, spaces, nil)
	if ctx.Err() != nil {
		return p, home, ctx.Err()
	}
	// Where a directory cannot be looked through, what is known stands: the page
	// is not there.
	if err != nil || !came.changed() {
		return p, home, missing
	}
	err = look()
	return p, home, err
}

// refresh indexes a page's file when it changed since it was indexed.
func (f *freshener) refresh(ctx context.Context, p kb.Page, home kb.Space) (write.FileState, error) {
	space, err := f.registry.OpenSpace(ctx, home)
	if err != nil || space.Files == nil {
		return write.FileSame, err
	}
	return f.writer.RefreshIfChanged(ctx, space, p.Path, p.Hash)
}

// outdated reports whether a page that is in the way is not what it was any more,
// so that it pays to look again.
func (f *freshener) outdated(ctx context.Context, at ref.Place) (changed bool) {
	for _, p := range at.Named {
		found, err := f.refresh(ctx, p, at.Space)
		if ctx.Err() != nil {
			return false
		}
		changed = changed || err == nil && found == write.FileChanged
	}
	return changed
}

// sync brings a directory into the index.
func (f *freshener) sync(ctx context.Context, s kb.Space, req SyncRequest) (SyncReport, error) {
	space, err := f.registry.OpenSpace(ctx, s)
	if err != nil {
		return SyncReport{}, err
	}
	opts := reconcile.Options{DryRun: req.DryRun, Full: req.Full, Yes: req.Yes, ToRead: req.toRead}
	if req.Progress != nil {
		opts.Progress = func(p reconcile.Progress) { req.Progress(space.Name, p.Phase, p.Done, p.Total) }
	}
	look := f.syncer.Sync
	if req.toRead && f.follower != nil {
		look = f.follower.Sync
	}
	r, err := look(ctx, space, opts)
	if err != nil {
		return SyncReport{}, err
	}
	return syncReport(space.Name, r), nil
}

// watch says how changes of a space are noticed, nil where each question looks
// for itself and before the first one.
func (f *freshener) watch(space kb.ID) *api.Watch {
	if f.follower == nil {
		return nil
	}
	s := f.follower.State(space)
	if !s.Watched && s.Reason == "" {
		return nil
	}
	return &api.Watch{Watched: s.Watched, Directories: s.Dirs, Reason: s.Reason}
}

// page resolves a ref and makes the index agree with that page's file, unless
// others are writing or nothing can be written.
func (f *freshener) page(ctx context.Context, raw string) (kb.Page, error) {
	p, _, err := f.newest(ctx, raw)
	return p, err
}

// newest is page, and says why where the page is behind its file, nil where it
// is not.
func (f *freshener) newest(ctx context.Context, raw string) (p kb.Page, behind *Warning, err error) {
	ctx = store.WithPatience(ctx, store.ReadPatience)
	p, home, err := f.find(ctx, raw, f.refs.Resolve)
	if err != nil {
		return p, nil, err
	}
	found, err := f.refresh(ctx, p, home)
	switch {
	case fsys.Unwritable(err):
		return p, &Warning{
			Path: p.Path, Code: WarnBehind,
			Text: "this is what was indexed; what the file says now could not be: " + kb.AsError(err).Message,
		}, nil
	case err == nil && found == write.FileNewer:
		return p, &Warning{
			Path: p.Path, Code: WarnBehind,
			Text: "the file is newer than this text, and others are writing: this is what was indexed before",
		}, nil
	case err == nil && found == write.FileUnmerged:
		return p, &Warning{
			Path: p.Path, Code: WarnUnmerged,
			Text: "the file has merge conflict markers: this is the text before the merge, until it is finished",
		}, nil
	case err != nil || found != write.FileChanged:
		return p, nil, err
	}
	p, _, err = f.find(ctx, raw, f.refs.Resolve)
	return p, nil, err
}

// meant syncs the directories that refs lead to; without any those that are meant,
// or all. It returns what went wrong.
func (f *freshener) meant(ctx context.Context, refs []string, everywhere bool, progress func(space, phase string, done, total int)) ([]string, error) {
	var spaces []kb.Space
	err := f.db.View(ctx, func(tx store.Tx) (err error) {
		if len(refs) == 0 && !everywhere {
			spaces, err = f.registry.MeantTx(ctx, tx)
			return err
		}
		all, err := tx.Spaces().All(ctx)
		if len(refs) == 0 {
			spaces = all
		}
		for _, raw := range refs {
			if sp := f.refs.Home(ctx, tx, all, ref.Parse(raw, all).Space); !slices.ContainsFunc(spaces, func(s kb.Space) bool { return s.Row == sp.Row }) {
				spaces = append(spaces, sp)
			}
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	came, err := f.spaces(ctx, spaces, progress)
	return came.notes, err
}
