package read

import (
	"context"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/freshness"
	"slices"
)

// Freshen syncs directories before other reads, as a search does by itself.
// Problems are returned as notes for people: the results of the last sync are
// better than none. It fails if a directory was never synced.
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
