package app

import (
	"context"
	"slices"

	"github.com/cairn-kb/cairn/internal/kb"
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
	f, err := a.fresh.ToRead(ctx, spaces, req.Progress)
	return f.Notes, err
}
