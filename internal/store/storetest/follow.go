package storetest

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/cairn-kb/cairn/internal/store"
)

// follower keeps the vectors of a model as store.Vectors says a reader does.
type follower struct {
	held map[int64]store.PageVectors
	seen int64
	took int // by the last refresh
}

func (f *follower) refresh(e *env, m store.Memory, model string) error {
	f.took = 0
	return m.View(e.ctx, func(tx store.Tx) error {
		n, err := tx.Vectors().Changed(e.ctx, model, f.seen, func(v store.PageVectors) error {
			if v.Seq <= f.seen {
				e.Errorf("change %d after %d", v.Seq, f.seen)
			}
			f.held[v.Page], f.seen = v, v.Seq
			f.took++
			return nil
		})
		if err != nil || len(f.held) == n {
			return err
		}
		rows, err := tx.Vectors().Pages(e.ctx, model)
		maps.DeleteFunc(f.held, func(row int64, _ store.PageVectors) bool { return !slices.Contains(rows, row) })
		return err
	})
}

// followChanges has one reader follow all kinds of changes by another handle.
func followChanges(_ *testing.T, e *env) {
	sp := e.space("s")
	second := e.open(e.T, e.dir)
	var docs []*store.Document
	for i := range 12 {
		docs = append(docs, doc(sp, fmt.Sprint(i, ".md")))
	}
	e.put(docs...)
	e.model("m")
	e.model("other")
	f := &follower{held: map[int64]store.PageVectors{}}
	follow := func(when string, took int) {
		e.Helper()
		e.check(f.refresh(e, second, "m"))
		var all []store.PageVectors
		e.view(func(tx store.Tx) error {
			return tx.Vectors().Each(e.ctx, "m", func(v store.PageVectors) error { all = append(all, v); return nil })
		})
		held := slices.SortedFunc(maps.Values(f.held), func(a, b store.PageVectors) int { return int(a.Page - b.Page) })
		e.Log(when)
		e.same(held, all)
		e.same(f.took, took)
	}
	follow("nothing", 0)
	e.embed("m", "1", docs[:8]...)
	follow("first ones", 8)
	follow("no change", 0)
	e.embed("other", "1", docs...)
	follow("another model", 0)
	e.embed("m", "2", docs[3], docs[9])
	follow("one replaced, one new", 2)
	e.update(func(tx store.Tx) error { return tx.Documents().Remove(e.ctx, []int64{docs[0].Row, docs[9].Row}) })
	follow("the newest is gone", 0)
	e.embed("m", "1", docs[10])
	follow("one new after the newest was gone", 1)
	e.update(func(tx store.Tx) error {
		e.check(tx.Documents().Remove(e.ctx, []int64{docs[1].Row}))
		return tx.Vectors().Put(e.ctx, embeddings("m", "1", docs[11]))
	})
	follow("one gone and one new", 1)
	e.update(func(tx store.Tx) error { return tx.Vectors().Drop(e.ctx, "m") })
	follow("all dropped", 0)
	e.embed("m", "1", docs[4])
	follow("one again", 1)
	e.update(func(tx store.Tx) error { return tx.Models().Remove(e.ctx, "m") })
	e.model("m")
	e.embed("m", "1", docs[4], docs[5])
	follow("another model of the same name", 2)
}
