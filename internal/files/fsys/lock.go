package fsys

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/gofrs/flock"

	"github.com/cairn-kb/cairn/internal/kb"
)

// ErrBusy means that the lock was held for as long as the caller was willing to wait.
var ErrBusy = errors.New("lock is held")

// lockPollMin is the shortest pause between two attempts to take a lock that another process
// holds, so that waiting for a short write adds little delay.
const lockPollMin = time.Millisecond

// LockPoll is the longest pause between two attempts to take a lock that
// another process holds, so that waiting for a long write does not cost a core.
// A program that takes a lock repeatedly must leave it free for longer than
// this, or others hardly ever get it.
const LockPoll = 25 * time.Millisecond

// lockPoll returns the pause after waiting for the given time. It grows for a
// second and then shrinks: the process that has waited longest polls most
// often, so that no process starves until its deadline.
func lockPoll(waited time.Duration) time.Duration {
	if waited > time.Second {
		return max(lockPollMin, time.Duration(int64(LockPoll)*int64(time.Second)/int64(waited)))
	}
	return min(max(lockPollMin, waited), LockPoll)
}

// Lock takes the exclusive lock with its file at an operating system path,
// against other processes and other goroutines of this one. Goroutines get it
// in the order of their calls. The file is created (0600, its directories 0700)
// and never removed. The system releases the lock when its process ends for any
// reason.
//
// Lock waits until ctx is done, and returns its error, or at most for the time
// busy; then it fails with a *kb.Error of code conflict with the detail "busy",
// which wraps ErrBusy. Calling unlock again does nothing.
func Lock(ctx context.Context, path string, busy time.Duration) (unlock func() error, err error) {
	path, err = filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if err := MakeDir(filepath.Dir(path)); err != nil {
		return nil, err
	}
	wait, cancel := context.WithTimeoutCause(ctx, busy, ErrBusy)
	defer cancel()
	if err := turns.take(wait, path); err != nil {
		return nil, lockError(err)
	}
	file := flock.New(path, flock.SetPermissions(0o600), flock.SetFlag(os.O_CREATE|os.O_RDWR))
	if err := pollLock(wait, file, file.TryLock); err != nil {
		turns.give(path)
		return nil, lockError(err)
	}
	return sync.OnceValue(func() error {
		defer turns.give(path)
		return file.Close()
	}), nil
}

func lockError(err error) error {
	if !errors.Is(err, ErrBusy) {
		return err
	}
	return kb.Errorf(kb.Conflict, "another cairn is writing here, and did not finish in time").Because(err).
		WithHint("Nothing was changed. Try again when it is done.").
		With("busy", true)
}

// pollLock polls, because a blocking flock can neither be cancelled nor timed out. Each call
// uses a new open file, because the system's lock belongs to the open file.
func pollLock(ctx context.Context, file *flock.Flock, try func() (bool, error)) error {
	for waited := time.Duration(0); ; {
		ok, err := try()
		if ended := context.Cause(ctx); ok && err == nil && ended != nil && !errors.Is(ended, ErrBusy) {
			err = ended // the caller no longer waits; the lock was free by chance
		}
		if err != nil {
			return errors.Join(err, file.Close())
		}
		if ok {
			return nil
		}
		select {
		case <-ctx.Done():
			return errors.Join(context.Cause(ctx), file.Close())
		case <-time.After(lockPoll(waited)):
		}
		waited += lockPoll(waited)
	}
}

// turns orders the goroutines of this process fairly and without polling. It is a package
// variable because locks belong to the whole process.
var turns = queue{waiting: map[string]*waiter{}}

type queue struct {
	mu      sync.Mutex
	waiting map[string]*waiter
}

// waiter is the queue for a path. Go wakes the senders on a full channel in the order in
// which they came.
type waiter struct {
	held  chan struct{}
	users int // holder and waiters; at 0 the entry is removed
}

func (q *queue) take(ctx context.Context, path string) error {
	q.mu.Lock()
	t := q.waiting[path]
	if t == nil {
		t = &waiter{held: make(chan struct{}, 1)}
		q.waiting[path] = t
	}
	t.users++
	q.mu.Unlock()
	select {
	case t.held <- struct{}{}: // free, even without time to wait
		return nil
	default:
	}
	select {
	case t.held <- struct{}{}:
		return nil
	case <-ctx.Done():
		q.leave(path, t)
		return context.Cause(ctx)
	}
}

func (q *queue) give(path string) {
	q.mu.Lock()
	t := q.waiting[path]
	q.mu.Unlock()
	<-t.held
	q.leave(path, t)
}

func (q *queue) leave(path string, t *waiter) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if t.users--; t.users == 0 {
		delete(q.waiting, path)
	}
}

// WhenFree calls take, which needs another program to release something such as its lock
// file, and repeats it while it fails with fs.ErrExist, until ctx is done; it then returns
// the cause of ctx.
func WhenFree(ctx context.Context, take func() error) error {
	for waited := time.Duration(0); ; {
		if err := take(); !errors.Is(err, fs.ErrExist) {
			return err
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(lockPoll(waited)):
		}
		waited += lockPoll(waited)
	}
}
