package app

import (
	"context"
	"time"

	"github.com/cairn-kb/cairn/internal/embedding"
	"github.com/cairn-kb/cairn/internal/store"
)

// embedSlack is how far the embedding of a query may run over its budget: long
// enough to finish what was begun in this process. A server is not waited for.
const embedSlack = 5 * time.Second

// embedSome embeds pages that wait, for a short while: first those that the
// words of the query find, since it is among them that meaning is to decide.
func (s *searching) embedSome(ctx context.Context, budget time.Duration) error {
	found, left, err := s.waiting(ctx)
	if err != nil || left == 0 {
		return err
	}
	start := s.a.opts.Now()
	if len(found) > 0 {
		if err := s.embed(ctx, embedding.Request{Rows: found, Budget: budget}); err != nil {
			return err
		}
		if budget -= s.a.opts.Now().Sub(start); budget <= 0 {
			return nil
		}
	}
	return s.embed(ctx, embedding.Request{All: len(s.spaces) > 1, Budget: budget})
}

// embed fails only when ctx ends. That meaning cannot be had is no failure: the
// search says so.
func (s *searching) embed(ctx context.Context, req embedding.Request) error {
	req.Limit = req.Budget
	if !embedding.IsRemote(s.asked.model) {
		req.Limit += embedSlack
	}
	if _, err := s.a.embedding.Embed(ctx, req); err != nil && ctx.Err() != nil {
		return err
	}
	return nil
}

// waiting returns how many pages of the spaces wait to be embedded, and the rows
// of those without vectors that the words of the query find, best first.
func (s *searching) waiting(ctx context.Context) (found []int64, left int, err error) {
	look := *s // what it notes is noted by the search itself
	if look.mark, err = s.a.db.Changed(ctx); err != nil {
		return nil, 0, err
	}
	err = s.a.db.View(ctx, func(tx store.Tx) error {
		look.tx = tx
		m := look.asked.model
		n, err := look.a.embedding.Coverage(ctx, tx, m.Model(), look.rows(), look.mark)
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
		ix, err := look.a.embedding.Vectors(ctx, tx, m, look.mark)
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
