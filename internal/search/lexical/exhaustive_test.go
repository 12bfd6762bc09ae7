package lexical

import (
	"context"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/cairn-kb/cairn/internal/search/query"
	"github.com/cairn-kb/cairn/internal/search/rank"
	"github.com/cairn-kb/cairn/internal/test/slowtest"
)

// exhaustive searches by looking at every posting of every word, and adds up scores as
// Search promises to: word by word in the order of the query, each as often as it is there.
func exhaustive(ctx context.Context, x *Index, r Reader, root query.Node, o Options) (*Result, error) {
	q, node, leaves, err := x.prepare(ctx, r, root, o)
	if err != nil || node == nil {
		return new(Result), err
	}
	defer x.scratch.Put(q.scratch)
	found := make(map[*leaf]map[*segment]*matches)
	idf := make(map[*leaf]float64)
	firsts, times := map[string]*leaf{}, map[*leaf]float64{}
	for _, l := range leaves {
		if l.scored {
			if firsts[l.key()] == nil {
				firsts[l.key()] = l
			}
			times[firsts[l.key()]]++
		}
		found[l] = map[*segment]*matches{}
		n := 0
		for _, s := range q.segments {
			m := q.matches(s, l)
			found[l][s] = m
			n += len(m.ords)
		}
		idf[l] = rank.Rarity(q.docs, n)
	}
	result := new(Result)
	top := ranking{limit: o.Limit}
	for _, s := range q.segments {
		may := s.members(o.Allowed)
		matching := evaluate(node, s, found)
		for i := range matching {
			matching[i] &= may[i]
		}
		result.Total += matching.count()
		scores := make([]float64, s.docs)
		for _, l := range leaves {
			m := found[l][s]
			for i, ord := range m.ords {
				if times[l] > 0 {
					scores[ord] += float64(float64(times[l]*idf[l]) * saturated(m.weight[i]))
				}
			}
		}
		matching.each(func(ord uint32) { top.offer(ranked{scores[ord], s.ids[ord], s, ord}) })
	}
	for _, d := range top.sorted() {
		hit := Hit{ID: d.id, Score: d.score}
		covered, markup, all := 0.0, 0.0, 0.0
		for _, l := range leaves {
			if !l.scored {
				continue
			}
			rare := times[l] * idf[l]
			all += rare
			m := found[l][d.segment]
			i, ok := slices.BinarySearch(m.ords, d.ord)
			if !ok {
				continue
			}
			if m.fields[i] == onlyMarkup {
				markup += rare
			} else {
				covered += rare
			}
			hit.Fields |= m.fields[i]
			if !slices.Contains(hit.Terms, l.text) {
				hit.Terms = append(hit.Terms, l.text)
			}
		}
		if all > 0 {
			hit.Coverage, hit.Markup = covered/all, markup/all
			hit.Part = hit.Score / (all * (saturation + 1))
		}
		result.Hits = append(result.Hits, hit)
	}
	return result, q.err
}

// evaluate returns the live documents of a segment that match a node.
func evaluate(node any, s *segment, found map[*leaf]map[*segment]*matches) bitmap {
	switch n := node.(type) {
	case *leaf:
		b := newBitmap(s.docs)
		for _, ord := range found[n][s].ords {
			b.set(ord)
		}
		return b
	case allOf:
		b := evaluate(n[0], s, found)
		for _, other := range n[1:] {
			for i, w := range evaluate(other, s, found) {
				b[i] &= w
			}
		}
		return b
	case anyOf:
		b := evaluate(n[0], s, found)
		for _, other := range n[1:] {
			for i, w := range evaluate(other, s, found) {
				b[i] |= w
			}
		}
		return b
	case noneOf:
		b := everyLive(s)
		for i, w := range evaluate(n.node, s, found) {
			b[i] &^= w
		}
		return b
	case filtered:
		return s.members(n.ids)
	}
	return everyLive(s)
}

// zipfText draws words so that some are in nearly all documents and most in few, with
// inflections.
func zipfText(rnd *rand.Rand, zipf *rand.Zipf, words int) string {
	var b []byte
	for range words {
		b = fmt.Appendf(b, "w%c%s ", 'a'+rune(zipf.Uint64()), []string{"", "", "ba", "s", "ing"}[rnd.IntN(5)])
	}
	return string(b)
}

// TestBestAgainstExhaustive: what Search passes over is what cannot be among the best.
// Its hits are those of who looks at everything, to the bit, over random corpora with
// updates and deletions, in all fields, with filters and all operators.
func TestBestAgainstExhaustive(t *testing.T) {
	t.Parallel()
	slowtest.NoRace(t, "one thing after the other, many times")
	ctx := context.Background()
	for seed := range uint64(slowtest.Count(1, 4)) {
		rnd := rand.New(rand.NewPCG(seed, 21))
		zipf := rand.NewZipf(rnd, 1.3, 2, 25)
		m, x := newMemory(), New(1<<12+rnd.IntN(1<<22))
		const documents = 4000
		change := func(n int) {
			b := NewBatch()
			for range n {
				d := Document{ID: rnd.Int64N(documents)}
				if rnd.IntN(6) == 0 {
					b.Delete(d.ID)
					continue
				}
				d.Texts = append(d.Texts, Text{Truth, zipfText(rnd, zipf, rnd.IntN(1+rnd.IntN(60)))})
				for range rnd.IntN(4) {
					d.Texts = append(d.Texts, Text{Field(rnd.IntN(fieldCount)), zipfText(rnd, zipf, 1+rnd.IntN(4))})
				}
				b.Put(d)
			}
			if err := x.Apply(ctx, m, b); err != nil {
				t.Fatal(err)
			}
		}
		word := func() string {
			w := zipfText(rnd, zipf, 1)
			w = w[:len(w)-1]
			switch rnd.IntN(12) {
			case 0:
				return `"` + w + " " + zipfText(rnd, zipf, 1) + `"`
			case 1:
				return w[:2] + "*"
			case 2:
				return "title:" + w
			}
			return w
		}
		group := func(between string) string {
			text, more := word(), 1+rnd.IntN(5)
			if rnd.IntN(20) == 0 {
				more = 6 * maxLookedUp // many are the same
			}
			for range more {
				text += between + word()
			}
			return text
		}
		cut, cutHits := 0, 0
		for range 12 {
			change(1 + rnd.IntN(800))
			switch rnd.IntN(4) {
			case 0:
				if err := x.Merge(ctx, m); err != nil {
					t.Fatal(err)
				}
			case 1: // documents whose lengths move the averages
				b := NewBatch()
				for range 3 {
					b.Put(Document{ID: rnd.Int64N(documents), Texts: []Text{
						{Truth, zipfText(rnd, zipf, 4000)}, {Field(rnd.IntN(fieldCount)), zipfText(rnd, zipf, 500)},
					}})
				}
				if err := x.Apply(ctx, m, b); err != nil {
					t.Fatal(err)
				}
			}
			for range 30 {
				var text string
				switch rnd.IntN(8) {
				case 0:
					text = word()
				case 1, 2:
					text = group(" OR ")
				case 3:
					text = group(" ")
				case 4:
					text = "(" + group(" OR ") + ") " + group(" ")
				case 5:
					text = group(" OR ") + " -" + word()
				case 6:
					text = "(" + group(" ") + ") OR (" + group(" ") + ") OR " + word()
				case 7:
					text = "(" + group(" OR ") + " OR tag:x) (" + word() + " OR type:y)"
				}
				o := Options{Limit: 1 + rnd.IntN(1+rnd.IntN(40)), Count: rnd.IntN(1 + rnd.IntN(200))}
				if n := rnd.IntN(5); n < 3 {
					o.Allowed = new(IDs)
					for range []int{20, 300, 2000}[n] {
						o.Allowed.Add(rnd.Int64N(documents))
					}
				}
				met := new(IDs)
				for range rnd.IntN(500) {
					met.Add(rnd.Int64N(documents))
				}
				o.Filter = func(context.Context, query.Filter) (*IDs, error) { return met, nil }
				q := query.Parse(text, time.Time{})
				want, err := exhaustive(ctx, x, m, q.Root, o)
				if err != nil {
					t.Fatal(err)
				}
				got, err := x.Search(ctx, m, q.Root, o)
				if err != nil {
					t.Fatal(err)
				}
				if o.Count > 0 && want.Total > o.Count {
					want.Total, want.AtLeast = o.Count, true
					cut++
					cutHits += len(got.Hits)
				}
				if !reflect.DeepEqual(got, want) {
					t.Fatalf("seed %d, %s, %d of %d:\n%+v, want\n%+v", seed, text, o.Limit, o.Count, got, want)
				}
				o.Limit = 0
				if r, err := x.Search(ctx, m, q.Root, o); err != nil || r.Total != want.Total || r.AtLeast != want.AtLeast {
					t.Fatalf("seed %d, %s: counted %+v of %d: %v", seed, text, r, want.Total, err)
				}
			}
		}
		if cut < 100 || cutHits < 500 {
			t.Fatalf("seed %d: %d searches with %d hits were cut: nothing was tested", seed, cut, cutHits)
		}
	}
}
