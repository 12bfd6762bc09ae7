package app

import (
	"context"
	"slices"

	"github.com/cairn-kb/cairn/internal/embed"
	"github.com/cairn-kb/cairn/internal/embed/kernel"
	"github.com/cairn-kb/cairn/internal/search/vector"
	"github.com/cairn-kb/cairn/internal/store"
)

// vectors returns the in-memory index of a model's vectors, brought up to
// date with the transaction, whichever process wrote them.
func (a *App) vectors(ctx context.Context, tx store.Tx, m embed.Embedder) (*vector.Index, error) {
	a.vectorMu.Lock()
	defer a.vectorMu.Unlock()
	whole, err := a.updateVectors(ctx, tx, m)
	if err == nil && !whole {
		// A transaction that began earlier took out what a later one had
		// brought, and nothing newer says so.
		a.vectorIndex = nil
		_, err = a.updateVectors(ctx, tx, m)
	}
	if err != nil {
		a.vectorIndex = nil // it may lack what was being read
		return nil, err
	}
	return a.vectorIndex, nil
}

// updateVectors brings in what is newer than all that the index has seen,
// takes out what is gone, and reports whether the index then has all pages.
func (a *App) updateVectors(ctx context.Context, tx store.Tx, m embed.Embedder) (whole bool, err error) {
	if a.vectorIndex == nil || a.vectorModel != m.Model() || a.vectorDims != m.Dimensions() {
		k, err := kernel.Select(a.opts.Env(kernel.EnvVar))
		if err != nil {
			return false, err
		}
		a.vectorIndex, a.vectorSeq = vector.New(m.Dimensions(), k.Dots), 0
		a.vectorModel, a.vectorDims = m.Model(), m.Dimensions()
	}
	pages, err := tx.Vectors().Changed(ctx, m.Model(), a.vectorSeq, func(p store.PageVectors) error {
		a.vectorSeq = max(a.vectorSeq, p.Seq)
		return withHint(a.vectorIndex.Put(p.Page, p.Blob), "compute the vectors anew with: cairn embed --all --again")
	})
	if err != nil {
		return false, err
	}
	if held, _ := a.vectorIndex.Len(); held == pages {
		return true, nil
	}
	rows, err := tx.Vectors().Pages(ctx, m.Model())
	if err != nil {
		return false, err
	}
	var gone []int64
	a.vectorIndex.Pages(func(page int64) bool {
		if _, found := slices.BinarySearch(rows, page); !found {
			gone = append(gone, page)
		}
		return true
	})
	for _, page := range gone {
		a.vectorIndex.Remove(page)
	}
	held, _ := a.vectorIndex.Len()
	return held == pages, nil
}
