package embedding

import (
	"context"

	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/search/vector"
	"github.com/cairn-kb/cairn/internal/store"
)

// Damaged returns the pages with vectors of a model that differ from their
// rows, and the number of pages with vectors.
func Damaged(ctx context.Context, tx store.Tx, m store.Model) (damaged []int64, pages int, err error) {
	err = tx.Vectors().Each(ctx, m.Name, func(p store.PageVectors) error {
		if vector.Check(p.Info, p.Values, m.Dims, p.Chunks) != nil {
			damaged = append(damaged, p.Page)
		}
		pages++
		return nil
	})
	return damaged, pages, err
}

// Requeue removes the vectors of pages, so that they are computed again.
func Requeue(ctx context.Context, tx store.Tx, m store.Model, pages []int64) error {
	none, _, err := vector.Pack(m.Dims, nil)
	if err != nil {
		return err
	}
	list := make([]store.PageVectors, len(pages))
	for i, p := range pages {
		list[i] = store.PageVectors{Page: p, Model: m.Name, Version: partVersion, Info: none}
	}
	return tx.Vectors().Put(ctx, list)
}

// dropDamaged requeues the pages with damaged vectors of a model.
func dropDamaged(ctx context.Context, sess *memory.Session, m store.Model) error {
	var pages []int64
	err := sess.DB.View(ctx, func(tx store.Tx) (err error) {
		pages, _, err = Damaged(ctx, tx, m)
		return err
	})
	if err != nil || len(pages) == 0 {
		return err
	}
	return sess.DB.Update(ctx, func(tx store.Tx) error { return Requeue(ctx, tx, m, pages) })
}
