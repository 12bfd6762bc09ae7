package terminal

import (
	"context"
	"io"
	"sync/atomic"
	"time"
)

// unreadGrace is how long a write may still take after the command was asked to
// end. An active reader gets it at once.
const unreadGrace = 200 * time.Millisecond

// unread is a stream with a reader that may have stopped reading, as a pager
// does after a screen: a write that waits for it is abandoned when the command
// is asked to end. A write cannot be interrupted, so it runs on until the
// process ends, as a read does in ReadAll.
type unread struct {
	w     io.Writer
	ctx   context.Context // of the run
	after func(time.Duration) <-chan time.Time
	over  atomic.Bool // whether a write was given up: the next ones would not be read either
}

// Stoppable wraps w so that writes are abandoned when ctx is done. It is not for
// terminals, which read on after Ctrl-C, and which drawing code must recognize.
func Stoppable(ctx context.Context, w io.Writer, after func(time.Duration) <-chan time.Time) io.Writer {
	return &unread{w: w, ctx: ctx, after: after}
}

func (u *unread) Write(text []byte) (int, error) {
	if u.over.Load() {
		return 0, context.Cause(u.ctx)
	}
	type result struct {
		n   int
		err error
	}
	done := make(chan result, 1)
	go func() {
		n, err := u.w.Write(text)
		done <- result{n, err}
	}()
	select {
	case r := <-done:
		return r.n, r.err
	case <-u.ctx.Done():
	}
	select {
	case r := <-done:
		return r.n, r.err
	case <-u.after(unreadGrace):
		u.over.Store(true)
		return 0, context.Cause(u.ctx)
	}
}
