package app

import (
	"context"

	"github.com/cairn-kb/cairn/internal/search/vector"
	"github.com/cairn-kb/cairn/internal/store"
)

// damagedVectors returns the pages whose vectors of a model are not what their
// rows say.
func damagedVectors(ctx context.Context, tx store.Tx, m store.Model) ([]int64, error) {
	var pages []int64
	err := tx.Vectors().Each(ctx, m.Name, func(p store.PageVectors) error {
		if vector.Check(p.Blob, m.Dims, p.Chunks) != nil {
			pages = append(pages, p.Page)
		}
		return nil
	})
	return pages, err
}

// waitAgain takes the vectors of pages away, so that they are computed anew.
func waitAgain(ctx context.Context, tx store.Tx, m store.Model, pages []int64) error {
	none, err := vector.Pack(m.Dims, nil)
	if err != nil {
		return err
	}
	list := make([]store.PageVectors, len(pages))
	for i, p := range pages {
		list[i] = store.PageVectors{Page: p, Model: m.Name, Version: partVersion, Blob: none}
	}
	return tx.Vectors().Put(ctx, list)
}

// dropDamaged lets pages wait again whose vectors of a model are damaged.
func (a *App) dropDamaged(ctx context.Context, m store.Model) error {
	var pages []int64
	err := a.db.View(ctx, func(tx store.Tx) (err error) {
		pages, err = damagedVectors(ctx, tx, m)
		return err
	})
	if err != nil || len(pages) == 0 {
		return err
	}
	return a.db.Update(ctx, func(tx store.Tx) error { return waitAgain(ctx, tx, m, pages) })
}
