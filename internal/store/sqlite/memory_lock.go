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

// memoryLock is the name of the lock that every process with the memory open
// shares, and that is exclusive for replacing the file.
const memoryLock = "memory"

// lockFile is the file of a lock. It is in a directory next to the database,
// since cairn adds no files of its own to a directory that it was only pointed
// at.
func lockFile(database, name string) string {
	return filepath.Join(database+".locks", name+".lock")
}

// lockDatabase takes a lock in the mode that is asked for, and waits for it at most that
// long; then it fails with an error that wraps store.ErrBusy.
func lockDatabase(ctx context.Context, file string, mode store.LockMode, wait time.Duration) (unlock func() error, err error) {
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
