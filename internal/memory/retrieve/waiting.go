package retrieve

import (
	"context"

	"github.com/cairn-kb/cairn/internal/memory/embedding"
	"github.com/cairn-kb/cairn/internal/store"
)

// Waiting returns how many pages of the spaces wait to be embedded, and the rows
// of those without vectors that the words of the query find, best first.
func (s *Search) Waiting(ctx context.Context) (found []int64, left int, err error) {
	look := *s // what it notes is noted by the search itself
	err = store.ViewAt(ctx, s.engine.DB, func(tx store.Tx, changed int64) error {
		look.tx, look.mark = tx, changed
		m := look.question.model
		n, err := embedding.CountCoverage(ctx, look.engine, tx, m.Model(), look.rows(), look.mark)
		if left = n.Left; err != nil || left == 0 {
			return err
		}
		if look.allowed, err = look.mayBeAnswered(ctx); err != nil {
			return err
		}
		w, err := look.byAnyWord(ctx, pool)
		if err != nil {
			return err
		}
		ix, err := embedding.Vectors(ctx, look.engine, tx, m, look.mark)
		if err != nil {
			return err
		}
		for _, c := range w.list {
			if !ix.Has(c.page.Row) {
				found = append(found, c.page.Row)
			}
		}
		return nil
	})
	return found, left, err
}
