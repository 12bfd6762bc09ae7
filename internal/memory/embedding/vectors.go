package embedding

import (
	"context"
	"fmt"
	"slices"

	"github.com/cairn-kb/cairn/internal/search/embed"
	"github.com/cairn-kb/cairn/internal/search/embed/kernel"
	"github.com/cairn-kb/cairn/internal/search/vector"
	"github.com/cairn-kb/cairn/internal/store"
)

// Vectors returns the in-memory index of a model's vectors, brought up to
// date with the transaction, whichever process wrote them. It leaves damaged
// ones out: see metDamage. Mark is what Changed said before the transaction
// began: where nobody committed since the last time, nothing is asked.
func (e *Engine) Vectors(ctx context.Context, tx store.Tx, m embed.Embedder, mark int64) (*vector.Index, error) {
	e.State.vectorMu.Lock()
	defer e.State.vectorMu.Unlock()
	if e.State.vectorIndex != nil && e.State.vectorModel == m.Model() && e.State.vectorDims == m.Dimensions() && e.State.vectorMark == mark {
		return e.State.vectorIndex, nil
	}
	whole, err := e.updateVectors(ctx, tx, m)
	if err == nil && !whole {
		// What the index has is of a later transaction, or without what an
		// earlier one did not have.
		e.State.vectorIndex = nil
		_, err = e.updateVectors(ctx, tx, m)
	}
	if err != nil {
		e.State.vectorIndex = nil // it may lack what was being read
		return nil, err
	}
	e.State.vectorMark = mark
	return e.State.vectorIndex, nil
}

// Load brings into memory what a search by meaning will ask for.
func (e *Engine) Load(ctx context.Context, m embed.Embedder, spaces []int64) error {
	mark, err := e.DB.Changed(ctx)
	if err != nil {
		return err
	}
	return e.DB.View(ctx, func(tx store.Tx) error {
		if _, err := e.Coverage(ctx, tx, m.Model(), spaces, mark); err != nil {
			return err
		}
		_, err := e.Vectors(ctx, tx, m, mark)
		return err
	})
}

// Coverage is how many pages have vectors, and how many wait for them.
type Coverage struct{ Done, Left int }

// Share is the part of the pages that have vectors.
func (e Coverage) Share() float64 { return float64(e.Done) / float64(max(e.Done+e.Left, 1)) }

// Coverage counts the pages of the spaces, and keeps the numbers as long as
// nobody commits: to count takes longer than to search. Mark is as in vectors.
func (e *Engine) Coverage(ctx context.Context, tx store.Tx, model string, spaces []int64, mark int64) (n Coverage, err error) {
	e.State.countMu.Lock()
	defer e.State.countMu.Unlock()
	if e.State.counts == nil || e.State.countMark != mark {
		e.State.counts, e.State.countMark = map[string]Coverage{}, mark
	}
	key := fmt.Sprint(model, spaces)
	n, ok := e.State.counts[key]
	if ok {
		return n, nil
	}
	n.Done, n.Left, err = tx.Vectors().Counts(ctx, model, Version(), spaces)
	if err == nil {
		e.State.counts[key] = n
	}
	return n, err
}

// updateVectors brings in what is newer than all that the index has seen,
// takes out what is gone, and reports whether the index then has everything.
func (e *Engine) updateVectors(ctx context.Context, tx store.Tx, m embed.Embedder) (whole bool, err error) {
	if e.State.vectorIndex == nil || e.State.vectorModel != m.Model() || e.State.vectorDims != m.Dimensions() {
		k, err := kernel.Select(e.Place.Env(kernel.EnvVar))
		if err != nil {
			return false, err
		}
		e.State.vectorIndex, e.State.vectorSeq = vector.New(m.Dimensions(), k.Dots), 0
		e.State.vectorModel, e.State.vectorDims = m.Model(), m.Dimensions()
	}
	now, count, err := tx.Vectors().Changed(ctx, m.Model(), e.State.vectorSeq, func(b store.Bundle) error {
		pages := make([]vector.Page, len(b.Pages))
		for i, p := range b.Pages {
			pages[i] = vector.Page(p)
		}
		e.State.vectorIndex.Put(b.Number, pages, b.Values)
		return nil
	})
	if err != nil {
		return false, err
	}
	if now < e.State.vectorSeq {
		return false, nil
	}
	e.State.vectorSeq = now
	held := e.State.vectorIndex.Bundles()
	if len(held) == count {
		return true, nil
	}
	all, err := tx.Vectors().Bundles(ctx, m.Model())
	if err != nil {
		return false, err
	}
	for _, number := range held {
		if _, found := slices.BinarySearch(all, number); !found {
			e.State.vectorIndex.Remove(number)
			count++
		}
	}
	return len(held) == count, nil
}

// DamagedPages returns how many pages the index of vectors leaves out since theirs
// are damaged.
func (e *Engine) DamagedPages() int {
	e.State.vectorMu.Lock()
	defer e.State.vectorMu.Unlock()
	if e.State.vectorIndex == nil {
		return 0
	}
	return e.State.vectorIndex.Damaged()
}
