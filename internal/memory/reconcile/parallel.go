package reconcile

import (
	"context"

	"golang.org/x/sync/errgroup"
	"golang.org/x/sync/semaphore"
)

// turns configures parallel work on items: the number of goroutines, and the
// maximum number and total size of unused results. A single larger item is allowed.
type turns[T any] struct {
	workers, ahead int
	size           func(T) int64 // nil if the items are small
	limit          int64
}

// of returns the size of an item.
func (t turns[T]) of(item T) int64 {
	if t.size == nil {
		return 0
	}
	return min(t.size(item), t.limit)
}

// inOrder calls work for every item in several goroutines, and use with the results
// one by one in the order of the items. At most ahead results are buffered. It
// returns when all goroutines have ended, with the first error of use or ctx.
func inOrder[T, R any](ctx context.Context, workers, ahead int, items []T, work func(T) R, use func(R) error) error {
	return inTurn(ctx, turns[T]{workers: workers, ahead: ahead}, items, work, func(r R, _ func() (R, bool)) error { return use(r) })
}

// inTurn is inOrder for a use that may take further results at once: more
// returns the next one if it is ready.
func inTurn[T, R any](ctx context.Context, how turns[T], items []T, work func(T) R, use func(r R, more func() (R, bool)) error) error {
	g, ctx := errgroup.WithContext(ctx)
	type job struct {
		item   T
		result chan R
	}
	jobs := make(chan job)
	queue := make(chan job, how.ahead)
	sizes := semaphore.NewWeighted(how.limit)
	g.Go(func() error {
		defer close(jobs)
		defer close(queue)
		for _, it := range items {
			if err := sizes.Acquire(ctx, how.of(it)); err != nil {
				return context.Cause(ctx)
			}
			j := job{it, make(chan R, 1)}
			select {
			case queue <- j:
			case <-ctx.Done():
				return context.Cause(ctx)
			}
			select {
			case jobs <- j:
			case <-ctx.Done():
				return context.Cause(ctx)
			}
		}
		return nil
	})
	for range max(1, how.workers) {
		g.Go(func() error {
			for j := range jobs {
				j.result <- work(j.item)
			}
			return nil
		})
	}
	g.Go(func() error {
		var (
			next *job // the queue's first, taken to check whether it is ready
			used int64
		)
		more := func() (r R, ok bool) {
			if next == nil {
				select {
				case j, open := <-queue:
					if !open {
						return r, false
					}
					next = &j
				default:
					return r, false
				}
			}
			select {
			case r = <-next.result:
				used += how.of(next.item)
				next = nil
				return r, true
			default:
				return r, false
			}
		}
		for {
			if next == nil {
				j, open := <-queue
				if !open {
					return nil
				}
				next = &j
			}
			select {
			case r := <-next.result:
				used = how.of(next.item)
				next = nil
				if err := use(r, more); err != nil {
					return err
				}
				sizes.Release(used)
			case <-ctx.Done():
				return context.Cause(ctx)
			}
		}
	})
	return g.Wait()
}
