package fsys

import (
	"context"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/gofrs/flock"
)

// LockShared takes a shared lock with its file at an operating system path: any
// number of holders share it, but never at the same time as Lock. The file is
// created and the wait ends as for Lock. Calling unlock again does nothing.
func LockShared(ctx context.Context, path string, busy time.Duration) (unlock func() error, err error) {
	path, err = filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	if err := MakeDir(filepath.Dir(path)); err != nil {
		return nil, err
	}
	wait, cancel := context.WithTimeoutCause(ctx, busy, ErrBusy)
	defer cancel()
	// The queue of this process is not needed: the system distinguishes the
	// open files of one process.
	file := flock.New(path, flock.SetPermissions(0o600), flock.SetFlag(os.O_CREATE|os.O_RDWR))
	if err := pollLock(wait, file, file.TryRLock); err != nil {
		return nil, lockError(err)
	}
	return sync.OnceValue(file.Close), nil
}
