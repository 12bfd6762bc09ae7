package reconcile

import (
	"context"

	"golang.org/x/sync/errgroup"
)

// inOrder calls work for every item in several goroutines, and use with the
// results one by one in the order of the items. At most ahead results wait to
// be used. It returns when all goroutines have ended, with
// the first error of use or ctx.
func inOrder[T, R any](ctx context.Context, workers, ahead int, items []T, work func(T) R, use func(R) error) error {
	g, ctx := errgroup.WithContext(ctx)
	type job struct {
		item   T
		result chan R
	}
	jobs := make(chan job)
	queue := make(chan job, ahead)
	g.Go(func() error {
		defer close(jobs)
		defer close(queue)
		for _, it := range items {
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
	for range max(1, workers) {
		g.Go(func() error {
			for j := range jobs {
				j.result <- work(j.item)
			}
			return nil
		})
	}
	g.Go(func() error {
		for j := range queue {
			select {
			case r := <-j.result:
				if err := use(r); err != nil {
					return err
				}
			case <-ctx.Done():
				return context.Cause(ctx)
			}
		}
		return nil
	})
	return g.Wait()
}
