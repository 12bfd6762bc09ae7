package app

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"time"

	"github.com/cairn-kb/cairn/internal/config"
	"github.com/cairn-kb/cairn/internal/fsys"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/store/sqlite"
)

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

// restoreWait is how long a restore waits for others to close the memory:
// longer than a short command takes, and shorter than a person's patience with
// a server that will not end.
const restoreWait = 2 * time.Second

// RestoreMemory makes a backup the memory. It needs no memory that can be opened:
// the present one may be damaged, or gone. Whatever is there is kept under
// another name. Nobody else may have the memory open meanwhile: kb.Conflict.
// A backup that is damaged or of a newer schema is kb.Damaged.
func RestoreMemory(ctx context.Context, o Options, req RestoreMemoryRequest) (RestoredMemory, error) {
	return restoreMemory(ctx, o, req, restoreWait)
}

func restoreMemory(ctx context.Context, o Options, req RestoreMemoryRequest, wait time.Duration) (r RestoredMemory, err error) {
	r = RestoredMemory{From: o.Absolute(req.File), DryRun: req.DryRun}
	if r.Database, err = config.DatabasePath(o.Place); err != nil {
		return r, err
	}
	if !fsys.Exists(r.From) {
		return r, kb.Errorf(kb.NotFound, "no file %s", r.From)
	}
	if fsys.SameFile(r.From, r.Database) {
		return r, kb.Errorf(kb.Usage, "%s is the memory itself", r.From).WithHint("Name the backup to restore.")
	}
	unlock, err := fsys.Lock(ctx, memoryLock(r.Database), wait)
	if errors.Is(err, fsys.ErrBusy) {
		return r, kb.Errorf(kb.Conflict, "another cairn has the memory at %s open", r.Database).
			WithHint("Nothing was changed. End it, such as a server or an agent's session, and restore again.").With("busy", true)
	}
	if err != nil {
		return r, fsys.Explain(err, "lock the memory")
	}
	defer func() { err = errors.Join(err, unlock()) }()
	dir, err := fsys.OpenDir(filepath.Dir(r.Database))
	if err != nil {
		return r, fsys.Explain(err, "open the memory's directory")
	}
	defer func() { err = errors.Join(err, dir.Close()) }()
	return restoreLocked(ctx, o, r, o.files(dir))
}

func restoreLocked(ctx context.Context, o Options, r RestoredMemory, files fsys.FS) (_ RestoredMemory, err error) {
	part := r.Database + ".restoring"
	names := swapNames{live: filepath.Base(r.Database), part: filepath.Base(part)}
	if err := removeDatabase(files, names.part); err != nil { // left by a restore that was killed
		return r, fsys.Explain(err, "remove %s", part)
	}
	defer func() {
		if e := removeDatabase(files, names.part); e != nil {
			err = errors.Join(err, fsys.Explain(e, "remove %s", part))
		}
	}()
	info, err := sqlite.Extract(ctx, r.From, part, sqlite.Options{Clock: o.Now})
	if err != nil {
		return r, err
	}
	r.Bytes = info.Bytes
	if names.replaces = fsys.Exists(r.Database); names.replaces {
		if names.kept, err = freeName(files, names.live+".before-restore-"+o.Now().UTC().Format("20060102T150405Z")); err != nil {
			return r, fsys.Explain(err, "keep the present memory")
		}
		r.Kept = filepath.Join(filepath.Dir(r.Database), names.kept)
	}
	if r.DryRun {
		return r, nil
	}
	whole := false
	if names.replaces {
		// Where the log cannot be folded it stays with its database, so that
		// nothing of it is lost and it is never replayed into the restored one.
		if whole, err = sqlite.Fold(ctx, r.Database, sqlite.Options{BusyTime: restoreWait}); err != nil {
			return r, err
		}
	}
	if !whole {
		for _, log := range sqlite.LogFiles(r.Database) {
			names.logs = append(names.logs, filepath.Base(log))
		}
	}
	return r, fsys.Explain(swapIn(files, names), "put %s in place", r.From)
}

// freeName returns name, or the first of name-2, name-3, … that nothing has.
func freeName(files fsys.FS, name string) (string, error) {
	free := name
	for n := 2; ; n++ {
		_, err := files.Lstat(free)
		if errors.Is(err, fs.ErrNotExist) {
			return free, nil
		}
		if err != nil {
			return "", err
		}
		free = fmt.Sprintf("%s-%d", name, n)
	}
}

// removeDatabase removes a database that nobody needs, if it is there, with
// the files that SQLite makes beside it.
func removeDatabase(files fsys.FS, name string) error {
	var errs []error
	for _, file := range append(sqlite.LogFiles(name), name, name+"-shm") {
		if err := files.Remove(file); err != nil && !errors.Is(err, fs.ErrNotExist) {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}
