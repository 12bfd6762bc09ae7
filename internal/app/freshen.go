package app

import (
	"context"
	"fmt"
	"slices"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/kb"
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
	f, err := a.freshenToRead(ctx, spaces, req.Progress)
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

// freshenToRead is freshen for who only reads, and so waits for no writer: for
// none at all after the first that was waited for in vain.
func (a *App) freshenToRead(ctx context.Context, spaces []kb.Space, progress func(space, phase string, done, total int)) (freshened, error) {
	return a.freshen(store.WithPatience(ctx, store.ReadPatience), spaces, progress)
}

// freshen syncs those of spaces that are directories. It fails where there is
// nothing to go on with: for the only space, when it was never synced.
func (a *App) freshen(ctx context.Context, spaces []kb.Space, progress func(space, phase string, done, total int)) (f freshened, err error) {
	for _, sp := range spaces {
		if sp.Kind != kb.DirectorySpace {
			continue
		}
		r, err := a.syncOne(ctx, sp, SyncRequest{Progress: progress, toRead: true})
		if err != nil {
			busy := store.IsBusy(err)
			if ctx.Err() != nil || len(spaces) == 1 && sp.Synced.IsZero() && !busy {
				return f, err
			}
			f.stale = append(f.stale, sp)
			if busy {
				ctx = store.WithPatience(ctx, 0)
				f.notes = append(f.notes, fmt.Sprintf("%s was not looked through for changes, since others are writing in it: the answer is as of what was indexed before", sp.Name))
				continue
			}
			f.notes = append(f.notes, fmt.Sprintf("%s was not looked through for changes: %s", sp.Name, api.Note(kb.AsError(err))))
			continue
		}
		f.unread += len(r.Failed) + len(r.LeftOut)
		f.reports = append(f.reports, r)
	}
	if f.unread > 0 {
		f.notes = append(f.notes, api.Plural(f.unread, "file")+" could not be read and may be missing: cairn sync says why")
	}
	return f, nil
}

// find resolves a ref, by Resolve or ResolveToChange, to a page and its space. A page that is not there
// may be in a file that no sync has seen: then it looks for changed files, and
// once more.
func (a *App) find(ctx context.Context, raw string, resolve func(context.Context, store.Tx, string) (kb.Page, error)) (p kb.Page, home kb.Space, err error) {
	var spaces []kb.Space
	look := func() error {
		return a.db.View(ctx, func(tx store.Tx) error {
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
	f, err := a.freshen(ctx, spaces, nil)
	if ctx.Err() != nil {
		return p, home, ctx.Err()
	}
	// Where a directory cannot be looked through, what is known stands: the page
	// is not there.
	if err != nil || !f.changed() {
		return p, home, missing
	}
	err = look()
	return p, home, err
}

// refresh indexes a page's file when it changed since it was indexed.
func (a *App) refresh(ctx context.Context, p kb.Page, home kb.Space) (write.Looked, error) {
	space, err := a.spaces.OpenSpace(ctx, home)
	if err != nil || space.Files == nil {
		return write.LookedSame, err
	}
	return a.writer.Look(ctx, space, p.Path, p.Hash)
}
