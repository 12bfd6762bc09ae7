package backup

import (
	"context"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/files/fsys"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/space"
	"github.com/cairn-kb/cairn/internal/store"
	"github.com/cairn-kb/cairn/internal/store/open"
)

// Exists reports whether there is a memory to open, intact or damaged.
func Exists(ctx context.Context, place space.Place) (bool, error) {
	location, err := space.DatabasePath(place)
	if err != nil {
		return false, err
	}
	return open.Exists(ctx, location)
}

// Restore replaces the memory with a backup. The present memory may be damaged or
// missing; its files are kept under another name. While another process has the
// memory open the error is kb.Conflict. For a backup that is damaged or of a newer
// schema it is kb.Damaged.
func Restore(ctx context.Context, o memory.Options, req RestoreRequest) (r api.RestoreResult, err error) {
	r = api.RestoreResult{From: o.Absolute(req.File), DryRun: req.DryRun}
	if r.Database, err = space.DatabasePath(o.Place); err != nil {
		return r, err
	}
	sealed, err := IsSealed(r.From)
	if err != nil && fsys.Exists(r.From) {
		return r, err
	}
	request := store.RestoreRequest{From: r.From, DryRun: req.DryRun, Clock: o.Now}
	if sealed {
		if store.IsURL(r.Database) {
			return r, kb.Errorf(kb.Usage, "an encrypted backup is of a memory in a file")
		}
		if _, err := req.Unseal.identities(); err != nil {
			return r, err
		}
		request.Unseal = func(to string) error { return req.Unseal.file(r.From, to) }
	}
	done, err := open.Restore(ctx, r.Database, request)
	r.Bytes, r.Kept = done.Bytes, done.Kept
	return r, err
}

// RestoreRequest names a backup.
type RestoreRequest struct {
	File   string // a file from Backup, or any copy of a memory
	DryRun bool   // validate it, and change nothing
	Unseal Unseal // for an encrypted backup
}
