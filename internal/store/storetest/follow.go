package storetest

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/store"
)

// follower maintains a copy of a model's vectors in the way that store.Vectors describes.
type follower struct {
	held map[int64]map[int64]kb.Hash // hashes of the vectors of a page, by bundle
	now  int64
	took []int64 // pages of the last refresh
}

// vectorsHash returns a hash of all vectors of a page.
func vectorsHash(info, values []byte) kb.Hash { return hashOf(fmt.Appendf(nil, "%q %q", info, values)) }

func (f *follower) refresh(e *env, m store.Memory, model string) error {
	f.took = nil
	return m.View(e.ctx, func(tx store.Tx) error {
		now, n, err := tx.Vectors().Changed(e.ctx, model, f.now, func(b store.Bundle) error {
			pages, rest := map[int64]kb.Hash{}, b.Values
			for _, p := range b.Pages {
				pages[p.Page], rest = vectorsHash(p.Info, rest[:p.Size]), rest[p.Size:]
				f.took = append(f.took, p.Page)
			}
			if len(rest) > 0 || len(pages) < len(b.Pages) {
				e.Errorf("%d values of no page, %d pages for %d", len(rest), len(pages), len(b.Pages))
			}
			f.held[b.Number] = pages
			return nil
		})
		if now < f.now {
			e.Errorf("now is %d after %d", now, f.now)
		}
		f.now = now
		if err != nil || len(f.held) == n {
			return err
		}
		all, err := tx.Vectors().Bundles(e.ctx, model)
		maps.DeleteFunc(f.held, func(number int64, _ map[int64]kb.Hash) bool { return !slices.Contains(all, number) })
		return err
	})
}

// followChanges checks that a reader follows all kinds of changes by another handle.
func followChanges(_ *testing.T, e *env) {
	sp := e.space("s")
	second := e.open(e.T, e.dir)
	var docs []*store.Document
	for i := range 100 {
		docs = append(docs, doc(sp, fmt.Sprint(i, ".md")))
	}
	e.put(docs...)
	e.model("m")
	e.model("other")
	f := &follower{held: map[int64]map[int64]kb.Hash{}}
	follow := func(when string, changed ...*store.Document) {
		e.Helper()
		e.check(f.refresh(e, second, "m"))
		all := map[int64]kb.Hash{}
		e.view(func(tx store.Tx) error {
			return tx.Vectors().Each(e.ctx, "m", func(v store.PageVectors) error {
				all[v.Page] = vectorsHash(v.Info, v.Values)
				return nil
			})
		})
		held := map[int64]kb.Hash{}
		for _, pages := range f.held {
			maps.Copy(held, pages)
		}
		e.Log(when)
		e.same(held, all)
		for _, page := range rowsIn(changed...) {
			if !slices.Contains(f.took, page) {
				e.Errorf("%s: page %d did not come", when, page)
			}
		}
	}
	nothing := func(when string) {
		e.Helper()
		follow(when)
		e.same(f.took, []int64(nil))
	}
	nothing("nothing")
	e.embed("m", "1", docs[:80]...)
	follow("first ones", docs[:80]...)
	nothing("no change")
	e.embed("other", "1", docs...)
	nothing("another model")
	docs[3].Hash = hashOf([]byte("edited"))
	e.put(docs[3])
	e.embed("m", "2", docs[3], docs[90])
	follow("one replaced, one new", docs[3], docs[90])
	e.update(func(tx store.Tx) error { return tx.Documents().Remove(e.ctx, []int64{docs[0].Row, docs[90].Row}) })
	follow("the newest is gone")
	nothing("no change since")
	e.embed("m", "1", docs[95])
	follow("one new after the newest was gone", docs[95])
	e.update(func(tx store.Tx) error {
		e.check(tx.Documents().Remove(e.ctx, []int64{docs[1].Row}))
		return tx.Vectors().Put(e.ctx, embeddings("m", "1", docs[96]))
	})
	follow("one gone and one new", docs[96])
	e.update(func(tx store.Tx) error { return tx.Vectors().Drop(e.ctx, "m") })
	follow("all dropped")
	e.embed("m", "1", docs[4])
	follow("one again", docs[4])
	e.update(func(tx store.Tx) error { return tx.Models().Remove(e.ctx, "m") })
	e.model("m")
	e.embed("m", "1", docs[4], docs[5])
	follow("another model of the same name", docs[4], docs[5])
}
