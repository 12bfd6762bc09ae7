package ageing

import (
	"context"
	"slices"
	"time"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/store"
)

// Use records that pages in spaces with ageing were used today. Each page is
// recorded at most once a day, so that most reads write nothing.
func Use(ctx context.Context, sess *memory.Session, pages []api.Page) error {
	today := sess.Now().Format(time.DateOnly)
	var spaces []kb.Space
	err := sess.DB.View(ctx, func(tx store.Tx) (err error) {
		spaces, err = tx.Spaces().All(ctx)
		return err
	})
	if err != nil {
		return err
	}
	for _, s := range spaces {
		in := slices.DeleteFunc(slices.Clone(pages), func(p api.Page) bool { return p.Space != s.Name })
		if len(in) == 0 {
			continue
		}
		pol, _, err := sess.Spaces.Policy(ctx, s, nil)
		if err != nil || !pol.Lifecycle.AgesUnused() {
			continue // doctor reports an unreadable policy
		}
		if err := useIn(ctx, sess, s, in, today); err != nil {
			return err
		}
	}
	return nil
}

// useIn is Use for pages of one space.
func useIn(ctx context.Context, sess *memory.Session, s kb.Space, pages []api.Page, today string) error {
	var ids []kb.ID
	err := sess.DB.View(ctx, func(tx store.Tx) error {
		for _, p := range pages {
			day, err := tx.Lives().UsedOn(ctx, s.Row, p.ID)
			if err != nil {
				return err
			}
			if day != today {
				ids = append(ids, p.ID)
			}
		}
		return nil
	})
	if err != nil || len(ids) == 0 {
		return err
	}
	return sess.DB.Update(ctx, func(tx store.Tx) error { return tx.Lives().Use(ctx, s.Row, ids, today) })
}
