package backup

import (
	"context"
	"errors"
	"path/filepath"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/files/fsys"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/space"
	"github.com/cairn-kb/cairn/internal/store"
	"github.com/cairn-kb/cairn/internal/store/open"
)

// MemoryExists reports whether there is a memory to open, sound or not.
func Exists(ctx context.Context, place space.Place) (bool, error) {
	location, err := space.DatabasePath(place)
	if err != nil {
		return false, err
	}
	return open.Exists(ctx, location)
}

// RestoreMemory makes a backup the memory. The present memory may be damaged or
// missing; its files are kept under another name. Nobody else may have the
// memory open meanwhile: kb.Conflict. A backup that is damaged or of a newer
// schema is kb.Damaged.
func Restore(ctx context.Context, o memory.Options, req RestoreRequest) (r api.RestoreResult, err error) {
	r = api.RestoreResult{From: o.Absolute(req.File), DryRun: req.DryRun}
	if r.Database, err = space.DatabasePath(o.Place); err != nil {
		return r, err
	}
	from := r.From
	sealed, err := IsSealed(from)
	if err != nil && fsys.Exists(from) {
		return r, err
	}
	if sealed {
		if store.IsURL(r.Database) {
			return r, kb.Errorf(kb.Usage, "an encrypted backup is of a memory in a file")
		}
		if err := fsys.MakeDir(filepath.Dir(r.Database)); err != nil {
			return r, fsys.Explain(err, "make the directory of the memory")
		}
		// Not store.UnsealedSuffix: nobody has the memory open yet, and a command that
		// opens it would remove the copy.
		from = r.Database + ".unsealed"
		if err := req.Unseal.file(r.From, from); err != nil {
			return r, err
		}
		defer func() { err = errors.Join(err, removePlain(from)) }()
	}
	done, err := open.Restore(ctx, r.Database, store.RestoreRequest{From: from, DryRun: req.DryRun, Clock: o.Now})
	r.Bytes, r.Kept = done.Bytes, done.Kept
	return r, err
}

// RestoreMemoryRequest names a backup.
type RestoreRequest struct {
	File   string // a memory: what Backup wrote, or any copy of one
	DryRun bool   // check it, and change nothing
	Unseal Unseal // for an encrypted backup
}
