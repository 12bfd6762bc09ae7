package storetest

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/store"
)

// sumOf returns the sum that a store must keep for a document.
func sumOf(s store.FileState) (sum int64, has bool) {
	if s.ModTime.IsZero() || s.Indexed.IsZero() || kb.Racy(s.ModTime, s.Indexed) {
		return 0, false
	}
	sum = kb.NewPathSum().Add(s.Path).File(s.Size, s.ModTime.UnixNano())
	if !s.Side.Exists() {
		return sum, true
	}
	if s.Side.ModTime.IsZero() || kb.Racy(s.Side.ModTime, s.Indexed) {
		return 0, false
	}
	return kb.WithSidecar(sum, s.Side.Size, s.Side.ModTime.UnixNano()), true
}

// wantSums compares FileSums and Unlike with States.
func (e *env) wantSums(sp kb.Space) {
	e.Helper()
	e.view(func(tx store.Tx) error {
		all, err := tx.Documents().States(e.ctx, sp.Row)
		if err != nil {
			return err
		}
		var want kb.FileSums
		var sums []int64
		var without []store.FileState
		for _, s := range all {
			sum, has := sumOf(s)
			if !has {
				without = append(without, s)
				continue
			}
			want.Add(sum)
			sums = append(sums, sum)
		}
		got, left, err := tx.Documents().FileSums(e.ctx, sp.Row)
		if err != nil {
			return err
		}
		e.same(got, want)
		e.same(left, without)
		// The caller does not know every third file, and has two additional sums.
		var given, other []int64
		for i, s := range sums {
			if i%3 != 0 {
				given = append(given, s)
			}
		}
		other = []int64{-5, 5}
		given = append(given, other...)
		slices.Sort(given)
		var lacking []store.FileState
		for _, s := range all {
			if sum, has := sumOf(s); !has || !slices.Contains(given, sum) {
				lacking = append(lacking, s)
			}
		}
		states, unknown, err := tx.Documents().Unlike(e.ctx, sp.Row, given)
		e.same(states, lacking)
		e.same(unknown, other)
		return err
	})
}

var fileSumTests = map[string]func(*testing.T, *env){
	"FileSumsFollowDocuments": func(_ *testing.T, e *env) {
		sp, other := e.space("s"), e.space("other")
		e.wantSums(sp)
		old := noon.Add(-time.Hour)
		var docs []*store.Document
		for i := range 12 {
			d := doc(sp, fmt.Sprintf("d%d/n%d.md", i%3, i))
			d.ModTime = old.Add(time.Duration(i))
			docs = append(docs, d)
		}
		docs[3].ModTime = noon.Add(-kb.RacyWindow + 1) // proves nothing
		docs[4].ModTime = noon.Add(-kb.RacyWindow)
		docs[5].ModTime, docs[5].Indexed = noon.Add(-kb.RacyWindow), noon.Add(789) // nanoseconds are not kept
		docs[6].ModTime = time.Time{}
		docs[7].Side = side("next to it", old)
		docs[8].Side = side("next to it", noon) // proves nothing
		docs[10].Side, docs[10].ModTime = side("next to it", old), noon
		docs[11].Side = side("", old)
		e.put(docs...)
		e.put(doc(other, "d0/n0.md"))
		e.wantSums(sp)
		e.wantSums(other)
		e.update(func(tx store.Tx) error {
			if err := tx.Documents().Touch(e.ctx, docs[3].Row, 5, old, noon, noon); err != nil { // and now it does
				return err
			}
			if err := tx.Documents().Touch(e.ctx, docs[8].Row, 5, old, old, noon); err != nil {
				return err
			}
			return tx.Documents().Touch(e.ctx, docs[7].Row, 5, noon, old, noon)
		})
		e.wantSums(sp)
		docs[0].Path, docs[1].Path = docs[1].Path, docs[0].Path
		docs[2].Path, docs[2].Size = "elsewhere.md", 99
		docs[8].Indexed = docs[8].ModTime
		e.put(docs[0], docs[1], docs[2], docs[8])
		e.wantSums(sp)
		e.update(func(tx store.Tx) error { return tx.Documents().Remove(e.ctx, []int64{docs[9].Row, docs[3].Row}) })
		e.wantSums(sp)
	},
	"UnlikeOfMany": func(_ *testing.T, e *env) {
		sp := e.space("s")
		var docs []*store.Document
		for i := range 1500 {
			d := doc(sp, fmt.Sprintf("n%d.md", i))
			d.ModTime = noon.Add(-time.Hour)
			if i == 7 {
				d.ModTime = noon
			}
			docs = append(docs, d)
		}
		e.put(docs...)
		e.wantSums(sp)
		e.view(func(tx store.Tx) error {
			all, err := tx.Documents().States(e.ctx, sp.Row)
			if err != nil {
				return err
			}
			got, unknown, err := tx.Documents().Unlike(e.ctx, sp.Row, nil)
			e.same(got, all)
			e.same(len(unknown), 0)
			return err
		})
	},
}
