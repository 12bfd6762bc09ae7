package terminal

import (
	"context"
	"io"
	"sync/atomic"
	"time"
)

// unreadGrace is how long a write may still take when the command is told to
// end. Whoever reads along has it at once.
const unreadGrace = 200 * time.Millisecond

// unread is a stream whose reader may have stopped to read, as a pager does
// after a screen: a write that waits for it is given up when the command is
// told to end. A write cannot be interrupted, so it is left behind until the
// process ends, as a read is in ReadAll.
type unread struct {
	w     io.Writer
	ctx   context.Context // of the run
	after func(time.Duration) <-chan time.Time
	over  atomic.Bool // whether a write was given up: the next ones would not be read either
}

// Stoppable returns the stream so; ctx is that of the run. It is not for a
// terminal, which reads on when Ctrl-C is typed, and what draws on one must know
// it.
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
