package scenarios_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/change"
	"github.com/cairn-kb/cairn/internal/memory/embedding"
	"github.com/cairn-kb/cairn/internal/memory/space"
	"github.com/cairn-kb/cairn/internal/search/embed"
	"github.com/cairn-kb/cairn/internal/search/vector"
	"github.com/cairn-kb/cairn/internal/store"
	"github.com/cairn-kb/cairn/internal/upkeep"
	"github.com/cairn-kb/cairn/internal/upkeep/gitsync"
)

// twoWide is a model of two dimensions that is never asked to embed.
type twoWide struct{ embed.Embedder }

func (twoWide) Model() string   { return "two-wide" }
func (twoWide) Dimensions() int { return 2 }

// seen is a transaction, and what Changed said before it began.
type seen struct {
	tx   store.Tx
	mark int64
}

// However searches of different age follow each other, in this process or
// others, each finds what its transaction has.
func TestVectorsOfOldAndNewTransactions(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	opts := memory.Options{Hooks: upkeep.Hooks(), Place: space.Place{Env: func(string) string { return "" }, Dir: t.TempDir(), Home: t.TempDir()}, Now: time.Now, Actor: kb.Actor{Kind: kb.Human}}
	open := func() *memory.Session {
		a, err := memory.Open(ctx, opts, true)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := a.Close(); err != nil {
				t.Error(err)
			}
		})
		return a
	}
	a, other := open(), open()
	if _, err := gitsync.AddSpace(ctx, a, space.AddRequest{Database: true, Name: "notes"}); err != nil {
		t.Fatal(err)
	}
	put := func(by *memory.Session, refs ...string) {
		t.Helper()
		for _, ref := range refs {
			if _, err := change.Put(ctx, by, change.PutRequest{Ref: ref, Text: []byte("One stone.\n")}); err != nil {
				t.Fatal(err)
			}
		}
		if err := by.DB.Update(ctx, func(tx store.Tx) error {
			if err := tx.Models().Put(ctx, store.Model{Name: "two-wide", Source: "directory", Dims: 2}); err != nil {
				return err
			}
			rows, err := tx.Pages().Rows(ctx, store.Filter{})
			if err != nil {
				return err
			}
			info, values, err := vector.Pack(2, []vector.Vector{{Lines: [2]int{1, 1}, Values: []int8{100, 0}, Scale: 0.01}})
			if err != nil {
				return err
			}
			for _, row := range rows {
				if _, err := tx.Vectors().Get(ctx, "two-wide", row); kb.CodeOf(err) != kb.NotFound {
					continue
				}
				if err := tx.Vectors().Put(ctx, []store.PageVectors{{Page: row, Model: "two-wide", Version: "1", Chunks: 1, Info: info, Values: values}}); err != nil {
					return err
				}
			}
			return nil
		}); err != nil {
			t.Fatal(err)
		}
	}
	// sees reports whether the index of a transaction holds exactly its pages.
	sees := func(when string, v seen) {
		t.Helper()
		ix, err := embedding.Vectors(ctx, a, v.tx, twoWide{}, v.mark)
		if err != nil {
			t.Fatal(err)
		}
		var want []int64
		if err := v.tx.Vectors().Each(ctx, "two-wide", func(p store.PageVectors) error { want = append(want, p.Page); return nil }); err != nil {
			t.Fatal(err)
		}
		hits, err := ix.Search([]float32{1, 0}, 100, nil)
		if err != nil {
			t.Fatal(err)
		}
		var got []int64
		for _, h := range hits {
			got = append(got, h.Page)
		}
		slices.Sort(got)
		if !slices.Equal(got, want) || len(want) == 0 {
			t.Errorf("%s: %v, want %v", when, got, want)
		}
	}
	view := func(f func(seen)) {
		t.Helper()
		mark, err := a.DB.Changed(ctx)
		if err != nil {
			t.Fatal(err)
		}
		if err := a.DB.View(ctx, func(tx store.Tx) error { f(seen{tx, mark}); return nil }); err != nil {
			t.Fatal(err)
		}
	}

	put(a, "one", "two")
	view(func(old seen) {
		sees("at first", old)
		put(other, "three")
		view(func(v seen) { sees("after another process wrote", v) })
		sees("in the transaction before", old)
		view(func(v seen) { sees("after the transaction before", v) })
	})
	view(func(old seen) {
		if _, err := change.Delete(ctx, other, change.DeleteRequest{Ref: "two"}); err != nil {
			t.Fatal(err)
		}
		view(func(v seen) { sees("after another process deleted", v) })
		sees("before the deletion", old)
		view(func(v seen) { sees("after looking back", v) })
		put(other, "four")
		view(func(v seen) { sees("after one more", v) })
	})
}
