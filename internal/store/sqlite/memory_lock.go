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

// lockFile returns the path of a lock. It is in a directory next to the database, so that
// cairn adds no files to a directory of the user.
func lockFile(database, name string) string {
	return filepath.Join(database+".locks", name+".lock")
}

// lockDatabase takes a lock in a mode, and waits at most that long; then it fails with an
// error that wraps store.ErrBusy.
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
