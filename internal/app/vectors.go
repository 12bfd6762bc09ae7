package app

import (
	"context"
	"fmt"
	"slices"

	"github.com/cairn-kb/cairn/internal/embed"
	"github.com/cairn-kb/cairn/internal/embed/kernel"
	"github.com/cairn-kb/cairn/internal/search/vector"
	"github.com/cairn-kb/cairn/internal/store"
)

// vectors returns the in-memory index of a model's vectors, brought up to
// date with the transaction, whichever process wrote them. It leaves damaged
// ones out: see metDamage. Mark is what Changed said before the transaction
// began: where nobody committed since the last time, nothing is asked.
func (a *App) vectors(ctx context.Context, tx store.Tx, m embed.Embedder, mark int64) (*vector.Index, error) {
	a.vectorMu.Lock()
	defer a.vectorMu.Unlock()
	if a.vectorIndex != nil && a.vectorModel == m.Model() && a.vectorDims == m.Dimensions() && a.vectorMark == mark {
		return a.vectorIndex, nil
	}
	whole, err := a.updateVectors(ctx, tx, m)
	if err == nil && !whole {
		// What the index has is of a later transaction, or without what an
		// earlier one did not have.
		a.vectorIndex = nil
		_, err = a.updateVectors(ctx, tx, m)
	}
	if err != nil {
		a.vectorIndex = nil // it may lack what was being read
		return nil, err
	}
	a.vectorMark = mark
	return a.vectorIndex, nil
}

// loadVectors brings into memory what a search by meaning will ask for.
func (a *App) loadVectors(ctx context.Context, m embed.Embedder, spaces []int64) error {
	mark, err := a.db.Changed(ctx)
	if err != nil {
		return err
	}
	return a.db.View(ctx, func(tx store.Tx) error {
		if _, err := a.embedded(ctx, tx, m.Model(), spaces, mark); err != nil {
			return err
		}
		_, err := a.vectors(ctx, tx, m, mark)
		return err
	})
}

// embedded is how many pages have vectors, and how many wait for them.
type embedded struct{ done, left int }

// share is the part of the pages that have vectors.
func (e embedded) share() float64 { return float64(e.done) / float64(max(e.done+e.left, 1)) }

// embedded counts the pages of the spaces, and keeps the numbers as long as
// nobody commits: to count takes longer than to search. Mark is as in vectors.
func (a *App) embedded(ctx context.Context, tx store.Tx, model string, spaces []int64, mark int64) (n embedded, err error) {
	a.countMu.Lock()
	defer a.countMu.Unlock()
	if a.counts == nil || a.countMark != mark {
		a.counts, a.countMark = map[string]embedded{}, mark
	}
	key := fmt.Sprint(model, spaces)
	n, ok := a.counts[key]
	if ok {
		return n, nil
	}
	n.done, n.left, err = tx.Vectors().Counts(ctx, model, vectorVersion(), spaces)
	if err == nil {
		a.counts[key] = n
	}
	return n, err
}

// updateVectors brings in what is newer than all that the index has seen,
// takes out what is gone, and reports whether the index then has everything.
func (a *App) updateVectors(ctx context.Context, tx store.Tx, m embed.Embedder) (whole bool, err error) {
	if a.vectorIndex == nil || a.vectorModel != m.Model() || a.vectorDims != m.Dimensions() {
		k, err := kernel.Select(a.opts.Env(kernel.EnvVar))
		if err != nil {
			return false, err
		}
		a.vectorIndex, a.vectorSeq = vector.New(m.Dimensions(), k.Dots), 0
		a.vectorModel, a.vectorDims = m.Model(), m.Dimensions()
	}
	now, count, err := tx.Vectors().Changed(ctx, m.Model(), a.vectorSeq, func(b store.Bundle) error {
		pages := make([]vector.Page, len(b.Pages))
		for i, p := range b.Pages {
			pages[i] = vector.Page(p)
		}
		a.vectorIndex.Put(b.Number, pages, b.Values)
		return nil
	})
	if err != nil {
		return false, err
	}
	if now < a.vectorSeq {
		return false, nil
	}
	a.vectorSeq = now
	held := a.vectorIndex.Bundles()
	if len(held) == count {
		return true, nil
	}
	all, err := tx.Vectors().Bundles(ctx, m.Model())
	if err != nil {
		return false, err
	}
	for _, number := range held {
		if _, found := slices.BinarySearch(all, number); !found {
			a.vectorIndex.Remove(number)
			count++
		}
	}
	return len(held) == count, nil
}

// metDamage returns how many pages the index of vectors leaves out since theirs
// are damaged.
func (a *App) metDamage() int {
	a.vectorMu.Lock()
	defer a.vectorMu.Unlock()
	if a.vectorIndex == nil {
		return 0
	}
	return a.vectorIndex.Damaged()
}
