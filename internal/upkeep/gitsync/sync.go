package gitsync

import (
	"context"
	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/freshness"
)

// SyncRequest asks for directories to be synced with the index.
type SyncRequest struct {
	Space    string // "" is the current one, "*" every directory space
	DryRun   bool
	Full     bool // rehash every file, regardless of size and time
	Yes      bool // also when more than half of the documents are missing
	Progress func(space, phase string, done, total int)
}

// Sync updates the index from directories.
func Sync(ctx context.Context, sess *memory.Session, req SyncRequest) ([]api.SyncReport, error) {
	var spaces []kb.Space
	var err error
	switch req.Space {
	case "":
		if spaces, err = sess.Spaces.Meant(ctx); err != nil {
			return nil, err
		}
	case "*":
		if spaces, err = sess.Spaces.Directories(ctx); err != nil {
			return nil, err
		}
	default:
		s, err := sess.Spaces.ByName(ctx, req.Space)
		if err != nil {
			return nil, err
		}
		spaces = []kb.Space{s}
	}
	out := []api.SyncReport{}
	for _, s := range spaces {
		r, err := freshness.Sync(ctx, sess, s, freshness.Request{DryRun: req.DryRun, Full: req.Full, Yes: req.Yes, Progress: req.Progress})
		if err != nil {
			return out, err
		}
		out = append(out, r)
		if req.DryRun {
			continue
		}
		w, err := sess.Spaces.OpenSpace(ctx, s)
		if err != nil {
			return out, err
		}
		// Rows may also change without files, for example when the policy gives
		// pages another type.
		known, err := sess.Writer.Cataloged(ctx, w)
		if err != nil {
			return out, err
		}
		if r.Changes() > 0 || !known {
			if err := Recatalog(ctx, sess.Writer, w); err != nil {
				return out, err
			}
		}
		// Work that git cannot do now is done later, and the answer has the reason.
		if out[len(out)-1].Commit, err = Settled(ctx, sess, w); err != nil && ctx.Err() != nil {
			return out, err
		}
	}
	return out, nil
}
