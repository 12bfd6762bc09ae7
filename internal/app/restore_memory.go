package app

import (
	"context"

	"github.com/cairn-kb/cairn/internal/memory/space"
	"github.com/cairn-kb/cairn/internal/store"
	"github.com/cairn-kb/cairn/internal/store/open"
)

// MemoryExists reports whether there is a memory to open, sound or not.
func MemoryExists(ctx context.Context, place space.Place) (bool, error) {
	location, err := space.DatabasePath(place)
	if err != nil {
		return false, err
	}
	return open.Exists(ctx, location)
}

// RestoreMemoryRequest names a backup.
type RestoreMemoryRequest struct {
	File   string // a memory: what Backup wrote, or any copy of one
	DryRun bool   // check it, and change nothing
}

// RestoredMemory says what was put in the place of what.
type RestoredMemory struct {
	From     string `json:"from"`
	Database string `json:"database"`
	Bytes    int64  `json:"bytes"`          // of the restored memory
	Kept     string `json:"kept,omitempty"` // the memory that was there before, if any
	DryRun   bool   `json:"dry_run,omitempty"`
}

// RestoreMemory makes a backup the memory. It needs no memory that can be opened:
// the present one may be damaged, or gone. Whatever is there is kept under
// another name. Nobody else may have the memory open meanwhile: kb.Conflict.
// A backup that is damaged or of a newer schema is kb.Damaged.
func RestoreMemory(ctx context.Context, o Options, req RestoreMemoryRequest) (r RestoredMemory, err error) {
	r = RestoredMemory{From: o.Absolute(req.File), DryRun: req.DryRun}
	if r.Database, err = space.DatabasePath(o.Place); err != nil {
		return r, err
	}
	done, err := open.Restore(ctx, r.Database, store.RestoreRequest{From: r.From, DryRun: req.DryRun, Clock: o.Now})
	r.Bytes, r.Kept = done.Bytes, done.Kept
	return r, err
}
