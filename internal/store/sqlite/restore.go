package sqlite

import (
	"context"
	"errors"
	"path/filepath"
	"time"

	"github.com/cairn-kb/cairn/internal/files/fsys"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/store"
)

// restoreWait is how long a restore waits for others to close the memory: longer than a
// short command takes, and shorter than a person would wait for a server that does not stop.
const restoreWait = 2 * time.Second

// Restore implements store.Restorer.
func (Driver) Restore(ctx context.Context, path string, r store.RestoreRequest) (store.Restored, error) {
	return restore(ctx, path, r, func(d *fsys.Dir) fsys.FS { return d })
}

// restore is Restore with the memory's directory as files sees it.
func restore(ctx context.Context, path string, r store.RestoreRequest, files func(*fsys.Dir) fsys.FS) (out store.Restored, err error) {
	if !fsys.Exists(r.From) {
		return out, kb.Errorf(kb.NotFound, "no file %s", r.From)
	}
	if fsys.SameFile(r.From, path) {
		return out, kb.Errorf(kb.Usage, "%s is the memory itself", r.From).WithHint("Name the backup to restore.")
	}
	unlock, err := lockDatabase(ctx, lockFile(path, memoryLock), store.Exclusive, restoreWait)
	if errors.Is(err, store.ErrBusy) {
		return out, kb.Errorf(kb.Conflict, "another cairn has the memory at %s open", path).
			WithHint("Nothing was changed. End it, such as a server or an agent's session, and restore again.").With("busy", true)
	}
	if err != nil {
		return out, fsys.Explain(err, "lock the memory")
	}
	defer func() { err = errors.Join(err, unlock()) }()
	dir, err := fsys.OpenDir(filepath.Dir(path))
	if err != nil {
		return out, fsys.Explain(err, "open the memory's directory")
	}
	defer func() { err = errors.Join(err, dir.Close()) }()
	return restoreLocked(ctx, path, r, files(dir))
}

func restoreLocked(ctx context.Context, path string, r store.RestoreRequest, files fsys.FS) (out store.Restored, err error) {
	part := path + RestoringSuffix
	names := swap{Live: filepath.Base(path), Part: filepath.Base(part)}
	if err := removeLeftovers(files, names.Live); err != nil {
		return out, fsys.Explain(err, "remove %s", part)
	}
	defer func() {
		if e := removeLeftovers(files, names.Live); e != nil {
			err = errors.Join(err, fsys.Explain(e, "remove %s", part))
		}
	}()
	info, err := extractFrom(ctx, path, part, r, files)
	if err != nil {
		return out, err
	}
	out.Bytes = info.Bytes
	if names.Replaces = fsys.Exists(path); names.Replaces {
		if names.Kept, err = freeName(files, names.Live+KeptInfix+r.Clock().UTC().Format("20060102T150405Z")); err != nil {
			return out, fsys.Explain(err, "keep the present memory")
		}
		out.Kept = filepath.Join(filepath.Dir(path), names.Kept)
	}
	if r.DryRun {
		return out, nil
	}
	whole := false
	if names.Replaces {
		// If the log cannot be merged it stays with its database, so that nothing of it is
		// lost and it is never replayed into the restored one.
		if whole, err = foldLog(ctx, path, Options{BusyTime: restoreWait}); err != nil {
			return out, err
		}
	}
	if !whole {
		names.Logs = logFiles(names.Live)
	}
	return out, fsys.Explain(swapIn(files, names), "put %s in place", r.From)
}

// extractFrom is extract for a backup, which is decrypted first if necessary. The decrypted
// copy exists only while the memory is locked, so that no other process removes it.
func extractFrom(ctx context.Context, path, part string, r store.RestoreRequest, files fsys.FS) (info store.Info, err error) {
	if r.Unseal == nil {
		return extract(ctx, r.From, part, Options{Clock: r.Clock})
	}
	plain := path + store.UnsealedSuffix
	defer func() {
		if e := removeDatabase(files, filepath.Base(plain)); e != nil {
			err = errors.Join(err, fsys.Explain(e, "remove %s", plain))
		}
	}()
	if err := r.Unseal(plain); err != nil {
		return info, err
	}
	return extract(ctx, plain, part, Options{Clock: r.Clock})
}
