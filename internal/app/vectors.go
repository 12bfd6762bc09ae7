package app

import (
	"context"
	"fmt"
	"maps"
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
		// A transaction that began earlier took out what a later one had
		// brought, and nothing newer says so.
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
// takes out what is gone, and reports whether the index then has all pages.
func (a *App) updateVectors(ctx context.Context, tx store.Tx, m embed.Embedder) (whole bool, err error) {
	if a.vectorIndex == nil || a.vectorModel != m.Model() || a.vectorDims != m.Dimensions() {
		k, err := kernel.Select(a.opts.Env(kernel.EnvVar))
		if err != nil {
			return false, err
		}
		a.vectorIndex, a.vectorSeq, a.vectorBad = vector.New(m.Dimensions(), k.Dots), 0, map[int64]bool{}
		a.vectorModel, a.vectorDims = m.Model(), m.Dimensions()
	}
	pages, err := tx.Vectors().Changed(ctx, m.Model(), a.vectorSeq, func(p store.PageVectors) error {
		a.vectorSeq = max(a.vectorSeq, p.Seq)
		delete(a.vectorBad, p.Page)
		if a.vectorIndex.Put(p.Page, p.Blob) != nil { // it has no other errors than about the blob
			a.vectorIndex.Remove(p.Page)
			a.vectorBad[p.Page] = true
		}
		return nil
	})
	if err != nil {
		return false, err
	}
	if a.heldVectors() == pages {
		return true, nil
	}
	rows, err := tx.Vectors().Pages(ctx, m.Model())
	if err != nil {
		return false, err
	}
	isGone := func(page int64) bool {
		_, found := slices.BinarySearch(rows, page)
		return !found
	}
	var gone []int64
	a.vectorIndex.Pages(func(page int64) bool {
		if isGone(page) {
			gone = append(gone, page)
		}
		return true
	})
	for _, page := range gone {
		a.vectorIndex.Remove(page)
	}
	maps.DeleteFunc(a.vectorBad, func(page int64, _ bool) bool { return isGone(page) })
	return a.heldVectors() == pages, nil
}

// heldVectors is how many pages the index has or leaves out for their damage.
func (a *App) heldVectors() int {
	pages, _ := a.vectorIndex.Len()
	return pages + len(a.vectorBad)
}

// metDamage returns how many pages the index of vectors leaves out since theirs
// are damaged.
func (a *App) metDamage() int {
	a.vectorMu.Lock()
	defer a.vectorMu.Unlock()
	return len(a.vectorBad)
}
