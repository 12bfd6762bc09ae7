package embedding

import (
	"context"
	"fmt"
	"slices"

	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/search/embed"
	"github.com/cairn-kb/cairn/internal/search/embed/kernel"
	"github.com/cairn-kb/cairn/internal/search/vector"
	"github.com/cairn-kb/cairn/internal/store"
)

// Vectors returns the in-memory index of a model's vectors, updated to the
// transaction, regardless of which process wrote them. It leaves out damaged ones:
// see metDamage. mark is the value of Changed before the transaction began: without
// a commit since the last call, nothing is read.
func Vectors(ctx context.Context, sess *memory.Session, tx store.Tx, m embed.Embedder, mark int64) (*vector.Index, error) {
	memory.Keep[State](sess).vectorMu.Lock()
	defer memory.Keep[State](sess).vectorMu.Unlock()
	if memory.Keep[State](sess).vectorIndex != nil && memory.Keep[State](sess).vectorModel == m.Model() && memory.Keep[State](sess).vectorDims == m.Dimensions() && memory.Keep[State](sess).vectorMark == mark {
		return memory.Keep[State](sess).vectorIndex, nil
	}
	whole, err := updateVectors(ctx, sess, tx, m)
	if err == nil && !whole {
		// The index has data of a later transaction, or lacks data that was missing
		// in an earlier one.
		memory.Keep[State](sess).vectorIndex = nil
		_, err = updateVectors(ctx, sess, tx, m)
	}
	if err != nil {
		memory.Keep[State](sess).vectorIndex = nil // it may lack vectors of the failed read
		return nil, err
	}
	memory.Keep[State](sess).vectorMark = mark
	return memory.Keep[State](sess).vectorIndex, nil
}

// Load reads the data for semantic search into memory. Unless it fails, it first
// reports whether there are vectors, also of earlier texts, and reads none if found
// returns false.
func Load(ctx context.Context, sess *memory.Session, m embed.Embedder, spaces []int64, found func(any bool) bool) error {
	return store.ViewAt(ctx, sess.DB, func(tx store.Tx, mark int64) error {
		n, err := CountCoverage(ctx, sess, tx, m.Model(), spaces, mark)
		if err != nil {
			return err
		}
		has := n.Done > 0
		if !has {
			bundles, err := tx.Vectors().Bundles(ctx, m.Model())
			if err != nil {
				return err
			}
			has = len(bundles) > 0
		}
		if !found(has) {
			return nil
		}
		_, err = Vectors(ctx, sess, tx, m, mark)
		return err
	})
}

// Coverage counts the pages with vectors and the waiting ones.
type Coverage struct{ Done, Left int }

// Share returns the share of pages with vectors.
func (e Coverage) Share() float64 { return float64(e.Done) / float64(max(e.Done+e.Left, 1)) }

// CountCoverage counts the pages of the spaces, and caches the numbers until the
// next commit: counting takes longer than a search. mark is as in Vectors.
func CountCoverage(ctx context.Context, sess *memory.Session, tx store.Tx, model string, spaces []int64, mark int64) (n Coverage, err error) {
	memory.Keep[State](sess).countMu.Lock()
	defer memory.Keep[State](sess).countMu.Unlock()
	if memory.Keep[State](sess).counts == nil || memory.Keep[State](sess).countMark != mark {
		memory.Keep[State](sess).counts, memory.Keep[State](sess).countMark = map[string]Coverage{}, mark
	}
	key := fmt.Sprint(model, spaces)
	n, ok := memory.Keep[State](sess).counts[key]
	if ok {
		return n, nil
	}
	n.Done, n.Left, err = tx.Vectors().Counts(ctx, model, Version(), spaces)
	if err == nil {
		memory.Keep[State](sess).counts[key] = n
	}
	return n, err
}

// updateVectors adds vectors newer than the index, removes deleted ones, and
// reports whether the index is then complete.
func updateVectors(ctx context.Context, sess *memory.Session, tx store.Tx, m embed.Embedder) (whole bool, err error) {
	if memory.Keep[State](sess).vectorIndex == nil || memory.Keep[State](sess).vectorModel != m.Model() || memory.Keep[State](sess).vectorDims != m.Dimensions() {
		k, err := kernel.Select(sess.Place.Env(kernel.EnvVar))
		if err != nil {
			return false, err
		}
		memory.Keep[State](sess).vectorIndex, memory.Keep[State](sess).vectorSeq = vector.New(m.Dimensions(), k.Dots), 0
		memory.Keep[State](sess).vectorModel, memory.Keep[State](sess).vectorDims = m.Model(), m.Dimensions()
	}
	now, count, err := tx.Vectors().Changed(ctx, m.Model(), memory.Keep[State](sess).vectorSeq, func(b store.Bundle) error {
		pages := make([]vector.Page, len(b.Pages))
		for i, p := range b.Pages {
			pages[i] = vector.Page(p)
		}
		memory.Keep[State](sess).vectorIndex.Put(b.Number, pages, b.Values)
		return nil
	})
	if err != nil {
		return false, err
	}
	if now < memory.Keep[State](sess).vectorSeq {
		return false, nil
	}
	memory.Keep[State](sess).vectorSeq = now
	held := memory.Keep[State](sess).vectorIndex.Bundles()
	if len(held) == count {
		return true, nil
	}
	all, err := tx.Vectors().Bundles(ctx, m.Model())
	if err != nil {
		return false, err
	}
	for _, number := range held {
		if _, found := slices.BinarySearch(all, number); !found {
			memory.Keep[State](sess).vectorIndex.Remove(number)
			count++
		}
	}
	return len(held) == count, nil
}

// DamagedPages returns the number of pages with damaged vectors, which the index of
// vectors leaves out.
func DamagedPages(sess *memory.Session) int {
	memory.Keep[State](sess).vectorMu.Lock()
	defer memory.Keep[State](sess).vectorMu.Unlock()
	if memory.Keep[State](sess).vectorIndex == nil {
		return 0
	}
	return memory.Keep[State](sess).vectorIndex.Damaged()
}
