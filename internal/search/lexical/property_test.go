package lexical

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/cairn-kb/cairn/internal/search/query"
	"github.com/cairn-kb/cairn/internal/test/slowtest"
)

var vocabulary = strings.Fields(`run running runs runner organ organize organization the a c++ c# c node.js
machine-learning 日本語 日本 本 Café cafe .net net index indexed indexes search searching 🎉 foo_bar x1 x2 x3`)

func randomText(rnd *rand.Rand, words int) string {
	var b strings.Builder
	for range words {
		b.WriteString(vocabulary[min(rnd.IntN(len(vocabulary)), rnd.IntN(len(vocabulary)))])
		b.WriteByte(' ')
	}
	return b.String()
}

func randomDocument(rnd *rand.Rand, id int64) Document {
	d := Document{ID: id}
	for range rnd.IntN(6) {
		d.Texts = append(d.Texts, Text{Field(rnd.IntN(fieldCount)), randomText(rnd, 1+rnd.IntN(8))})
	}
	if rnd.IntN(3) > 0 {
		d.Texts = append(d.Texts, Text{Truth, randomText(rnd, rnd.IntN(100))})
	}
	return d
}

func randomQuery(rnd *rand.Rand) string {
	word := func() string {
		w := vocabulary[rnd.IntN(len(vocabulary))]
		switch rnd.IntN(8) {
		case 0:
			return `"` + w + " " + vocabulary[rnd.IntN(len(vocabulary))] + `"`
		case 1:
			return w[:1+rnd.IntN(len(w))] + "*"
		case 2:
			return "title:" + w
		}
		return w
	}
	switch rnd.IntN(5) {
	case 0:
		return word() + " " + word()
	case 1:
		return word() + " OR " + word() + " OR " + word()
	case 2:
		return word() + " -" + word()
	case 3:
		return "(" + word() + " OR " + word() + ") NOT (" + word() + " " + word() + ")"
	}
	return word()
}

// sameHits compares hits whose scores differ by rounding at most: documents
// with nearly equal scores may stand in another order.
func sameHits(got, want []Hit) error {
	if len(got) != len(want) {
		return fmt.Errorf("%d hits, want %d", len(got), len(want))
	}
	byID := make(map[int64]Hit)
	for _, h := range want {
		byID[h.ID] = h
	}
	for i, g := range got {
		w, ok := byID[g.ID]
		near := math.Abs(g.Score-want[i].Score) < 1e-5 && math.Abs(g.Score-w.Score) < 1e-5 && math.Abs(g.Coverage-w.Coverage) < 1e-9
		if !ok || !near || g.Fields != w.Fields || !reflect.DeepEqual(g.Terms, w.Terms) {
			return fmt.Errorf("hit %d is %+v, want %+v, score %v there", i, g, w, want[i].Score)
		}
	}
	return nil
}

// TestIndexAgainstDefinition changes an index at random and compares it with a
// search without an index, and with an index that was built at once.
func TestIndexAgainstDefinition(t *testing.T) {
	t.Parallel()
	slowtest.NoRace(t, "one thing after the other, many times")
	ctx := context.Background()
	for seed := range uint64(3) {
		rnd := rand.New(rand.NewPCG(seed, 1))
		store, x := newMemory(), New(1<<10+rnd.IntN(1<<20))
		truth := &naive{docs: make(map[int64]*naiveDoc)}
		docs := make(map[int64]Document)
		merges, searches := 0, 0
		for range 40 {
			b := NewBatch()
			for range 1 + rnd.IntN(1+rnd.IntN(12)) {
				id := rnd.Int64N(80)
				if rnd.IntN(4) == 0 {
					b.Delete(id)
					delete(docs, id)
					delete(truth.docs, id)
					continue
				}
				d := randomDocument(rnd, id)
				b.Put(d)
				docs[id], truth.docs[id] = d, analyse(d)
			}
			if rnd.IntN(2) == 0 {
				b.Invert()
			}
			if err := x.Apply(ctx, store, b); err != nil {
				t.Fatal(err)
			}
			if rnd.IntN(12) == 0 {
				merges++
				if err := x.Merge(ctx, store); err != nil {
					t.Fatal(err)
				}
			}
			if rnd.IntN(12) == 0 {
				if _, err := x.MergePart(ctx, store, true); err != nil {
					t.Fatal(err)
				}
			}
			if rnd.IntN(12) == 0 {
				most := 200 << rnd.IntN(8)
				for more := true; more; {
					var err error
					if more, err = x.mergeNext(ctx, store, most); err != nil {
						t.Fatal(err)
					}
				}
				segments, err := x.openAll(ctx, store)
				if err != nil || len(segments) > 2*manySegments+1 {
					t.Fatalf("%d segments, %v", len(segments), err)
				}
				for _, s := range segments {
					if len(segments) > 1 && (s.docs-s.live)*mergeWidth >= s.docs {
						t.Errorf("%d of %d documents are left", s.live, s.docs)
					}
				}
			}
			fresh, once := newMemory(), NewBatch()
			for _, d := range docs {
				once.Put(d)
			}
			if err := x.Apply(ctx, fresh, once); err != nil {
				t.Fatal(err)
			}
			if ids, err := x.Documents(ctx, store); err != nil || len(ids) != len(docs) {
				t.Fatalf("%d documents, want %d: %v", len(ids), len(docs), err)
			}
			for range 6 {
				text := randomQuery(rnd)
				q := query.Parse(text, time.Time{})
				o := Options{Limit: 1000}
				if rnd.IntN(3) == 0 {
					o.Allowed = NewIDs(1, 2, 3, 5, 8, 13, 21, 34, 55)
				}
				got, err := x.Search(ctx, store, q.Root, o)
				if err != nil {
					t.Fatal(err)
				}
				want := truth.search(q.Root, o.Allowed)
				searches += len(want)
				if got.Total != len(want) {
					t.Fatalf("seed %d, %s: total %d, want %d", seed, text, got.Total, len(want))
				}
				if err := sameHits(got.Hits, want); err != nil {
					t.Fatalf("seed %d, %s: %v", seed, text, err)
				}
				other, err := New(1<<20).Search(ctx, fresh, q.Root, o)
				if err != nil {
					t.Fatal(err)
				}
				if !reflect.DeepEqual(got, other) {
					t.Fatalf("seed %d, %s: depends on segments:\n%+v\n%+v", seed, text, got, other)
				}
				ids, err := x.Matching(ctx, store, q.Root, o)
				if err != nil {
					t.Fatal(err)
				}
				for _, h := range got.Hits {
					if !ids.Contains(h.ID) {
						t.Fatalf("seed %d, %s: %d is found and does not match", seed, text, h.ID)
					}
				}
				if ids.Len() != got.Total {
					t.Fatalf("seed %d, %s: %d match, %d are found", seed, text, ids.Len(), got.Total)
				}
				o.Limit = 1 + rnd.IntN(5)
				page, err := x.Search(ctx, store, q.Root, o)
				if err != nil {
					t.Fatal(err)
				}
				to := min(o.Limit, len(got.Hits))
				for to > 0 && to < len(got.Hits) && got.Hits[to].Score == got.Hits[to-1].Score {
					to++ // ties of the last
				}
				if all := got.Hits[:to]; page.Total != got.Total || len(page.Hits) != to || to > 0 && !reflect.DeepEqual(page.Hits, all) {
					t.Fatalf("seed %d, %s: page %+v of %+v", seed, text, page, got)
				}
			}
		}
		if merges == 0 || searches == 0 {
			t.Fatalf("seed %d: %d merges, %d hits: nothing was tested", seed, merges, searches)
		}
	}
}
