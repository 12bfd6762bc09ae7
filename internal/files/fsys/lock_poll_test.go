package fsys

import (
	"context"
	"errors"
	"path/filepath"
	"testing"
	"time"

	"github.com/gofrs/flock"
)

func TestLockPoll(t *testing.T) {
	t.Parallel()
	for waited, want := range map[time.Duration]time.Duration{
		0:                     lockPollMin,
		time.Microsecond:      lockPollMin,
		4 * time.Millisecond:  4 * time.Millisecond,
		25 * time.Millisecond: LockPoll,
		time.Second:           LockPoll,
		5 * time.Second:       5 * time.Millisecond,
		10 * time.Second:      2500 * time.Microsecond,
		time.Hour:             lockPollMin,
	} {
		if got := lockPoll(waited); got != want {
			t.Errorf("after %v it waits %v, want %v", waited, got, want)
		}
	}
}

// A wait that ends while the lock becomes free does not take it, and a try without a wait does.
func TestLockIsNotTakenAfterTheWait(t *testing.T) {
	t.Parallel()
	for ended, want := range map[error]error{context.Canceled: context.Canceled, ErrBusy: nil} {
		ctx, cancel := context.WithCancelCause(t.Context())
		file := flock.New(filepath.Join(t.TempDir(), "lock"))
		err := pollLock(ctx, file, func() (bool, error) {
			cancel(ended)
			return file.TryLock()
		})
		if !errors.Is(err, want) || file.Locked() != (want == nil) {
			t.Errorf("%v: %v, locked: %t", ended, err, file.Locked())
		}
		if err := file.Close(); err != nil {
			t.Error(err)
		}
	}
}
