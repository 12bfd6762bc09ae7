package read

import (
	"context"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/freshness"
	"slices"
)

// Freshen syncs directories before something else is asked about them, as a
// search does by itself. What went wrong comes back as notes for people: what
// the last sync saw is better than nothing. It fails where there was none yet.
func Freshen(ctx context.Context, sess *memory.Session, req FreshenRequest) (notes []string, err error) {
	s, spaces, err := sess.Spaces.Chosen(ctx)
	if err != nil {
		return nil, err
	}
	if s.Row != 0 && !req.All {
		spaces = []kb.Space{s}
	}
	if req.New {
		spaces = slices.DeleteFunc(spaces, func(s kb.Space) bool { return !s.Synced.IsZero() })
	}
	f, err := freshness.ToRead(ctx, sess, spaces, req.Progress)
	return f.Notes, err
}

// FreshenRequest selects the directories to scan for changed files.
type FreshenRequest struct {
	All      bool // of every space, instead of the selected ones
	New      bool // only those that were never synced
	Progress func(space, phase string, done, total int)
}
