package sqlite

import (
	"context"
	"errors"
	"path/filepath"
	"time"

	"github.com/cairn-kb/cairn/internal/fsys"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/store"
)

// memoryLock is the name of the lock that everyone who has the memory open
// shares, and that whoever replaces the file holds exclusively.
const memoryLock = "memory"

// lockFile is the file of a lock. It lies beside the database, since cairn
// keeps nothing of its own in a directory that it was only pointed at.
func lockFile(database, name string) string {
	return filepath.Join(database+".locks", name+".lock")
}

// Lock implements store.Engine. A temporary memory belongs to its user alone,
// so there nobody is to be kept out.
func (d *DB) Lock(ctx context.Context, name string, mode store.LockMode, wait time.Duration) (unlock func() error, err error) {
	if d.options.temporary {
		return func() error { return nil }, nil
	}
	file := lockFile(d.path, name)
	unlock, err = lock(ctx, file, mode, store.Patience(ctx, wait))
	return unlock, fsys.Explain(err, "lock %s", file)
}

func lock(ctx context.Context, file string, mode store.LockMode, wait time.Duration) (unlock func() error, err error) {
	take := fsys.Lock
	if mode == store.Shared {
		take = fsys.LockShared
	}
	unlock, err = take(ctx, file, wait)
	if errors.Is(err, fsys.ErrBusy) {
		return nil, kb.AsError(err).Because(store.ErrBusy)
	}
	return unlock, err
}

// mustExist reports whether a missing file is an error.
func (d *DB) mustExist() bool { return d.options.MustExist || d.options.ReadOnly }
