package memory

import (
	"context"
	"sync"
	"time"

	"github.com/cairn-kb/cairn/internal/store"
)

// Later runs work in the background, soon and in order. Excess work is dropped. ctx
// ends after a second.
func (s *Session) Later(ctx context.Context, do func(context.Context) error) {
	s.memory.later.do(func() error {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(store.Apart(ctx)), laterWait)
		defer cancel()
		return do(ctx)
	})
}

// laterWait is the timeout of one background task. A task is a short transaction,
// which only takes longer while others write.
const laterWait = time.Second

// laterMost is the maximum length of the queue; further tasks are dropped.
const laterMost = 64

// queue runs best-effort tasks in order.
type queue struct {
	mu      sync.Mutex
	waiting []func() error
	running bool
	closed  bool
	done    sync.WaitGroup
}

// do schedules f, unless too many tasks are queued.
func (q *queue) do(f func() error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed || len(q.waiting) >= laterMost {
		return
	}
	q.waiting = append(q.waiting, f)
	if !q.running {
		q.running = true
		q.done.Go(q.run)
	}
}

func (q *queue) run() {
	for f := q.next(nil); f != nil; {
		f = q.next(f())
	}
}

// next returns the next task, nil for none. After a failure, closing does not wait
// for the rest.
func (q *queue) next(failed error) func() error {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed && failed != nil {
		q.waiting = nil
	}
	if len(q.waiting) == 0 {
		q.running = false
		return nil
	}
	f := q.waiting[0]
	q.waiting = q.waiting[1:]
	return f
}

// close waits for the queued tasks, and accepts no more.
func (q *queue) close() {
	q.mu.Lock()
	q.closed = true
	q.mu.Unlock()
	q.done.Wait()
}
