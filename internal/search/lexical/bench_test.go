package lexical

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cairn-kb/cairn/internal/search/query"
)

// corpus makes documents of 300 words, distributed as in English prose (Zipf),
// with inflections.
func corpus(docs int) []Document {
	rnd := rand.New(rand.NewPCG(1, 2))
	zipf := rand.NewZipf(rnd, 1.1, 4, 400_000)
	word := func() string {
		n := zipf.Uint64()
		w := fmt.Sprintf("w%s", strings.Map(func(r rune) rune { return r - '0' + 'a' }, fmt.Sprint(n)))
		return w + []string{"", "", "s", "ing"}[rnd.IntN(4)]
	}
	all := make([]Document, docs)
	for i := range all {
		var b strings.Builder
		for range 300 {
			b.WriteString(word())
			b.WriteByte(' ')
		}
		all[i] = Document{ID: int64(i), Texts: []Text{
			{Title, word() + " " + word() + " " + word()}, {Slug, word()}, {Truth, b.String()},
		}}
	}
	return all
}

// frequent returns the n-th word of the distribution.
func frequent(n int) string {
	return "w" + strings.Map(func(r rune) rune { return r - '0' + 'a' }, fmt.Sprint(n))
}

// size is the number of documents of a benchmark: with -short, a tenth, which only shows that it
// runs.
func size(docs int) int {
	if testing.Short() {
		return docs / 10
	}
	return docs
}

func build(tb testing.TB, docs []Document, merge bool) (*memory, *Index) {
	tb.Helper()
	ctx := context.Background()
	m, x := newMemory(), New(64<<20)
	b := NewBatch()
	flush := func() {
		if err := x.Apply(ctx, m, b); err != nil {
			tb.Fatal(err)
		}
		b = NewBatch()
	}
	for _, d := range docs {
		b.Put(d)
		if b.Size() > BatchSize {
			flush()
		}
	}
	flush()
	if merge {
		if err := x.Merge(ctx, m); err != nil {
			tb.Fatal(err)
		}
	}
	return m, x
}

func (m *memory) size() int {
	n := 0
	for _, p := range m.pages {
		n += len(p)
	}
	return n
}

var benchIndex = sync.OnceValue(func() func(testing.TB) (*memory, *Index) {
	docs := corpus(size(100_000))
	var once sync.Once
	var m *memory
	var x *Index
	return func(tb testing.TB) (*memory, *Index) {
		once.Do(func() { m, x = build(tb, docs, true) })
		return m, x
	}
})

func BenchmarkBuild(b *testing.B) {
	docs := corpus(size(20_000))
	b.ResetTimer()
	for range b.N {
		m, _ := build(b, docs, true)
		b.ReportMetric(float64(m.size())/float64(len(docs)), "bytes/doc")
	}
	b.ReportMetric(float64(len(docs)*b.N)/b.Elapsed().Seconds(), "docs/s")
}

func benchmarkQuery(b *testing.B, text func(*rand.Rand) string) {
	m, x := benchIndex()(b)
	ctx := context.Background()
	rnd := rand.New(rand.NewPCG(3, 4))
	queries := make([]query.Query, 200)
	for i := range queries {
		queries[i] = query.Parse(text(rnd), time.Time{})
	}
	b.ReportAllocs()
	b.ResetTimer()
	hits := 0
	for i := range b.N {
		r, err := x.Search(ctx, m, queries[i%len(queries)].Root, Options{Limit: 20})
		if err != nil {
			b.Fatal(err)
		}
		hits += r.Total
	}
	b.ReportMetric(float64(hits)/float64(b.N), "hits/op")
}

// joined returns n words, from common to rare.
func joined(rnd *rand.Rand, n int, between string) string {
	w := make([]string, n)
	for i := range w {
		w[i] = frequent(1 + rnd.IntN(10)*rnd.IntN(100)*(1+rnd.IntN(10)))
	}
	return strings.Join(w, between)
}

func BenchmarkOr5(b *testing.B) {
	benchmarkQuery(b, func(rnd *rand.Rand) string { return joined(rnd, 5, " OR ") })
}

func BenchmarkAnd3(b *testing.B) {
	benchmarkQuery(b, func(rnd *rand.Rand) string { return joined(rnd, 3, " ") })
}

func BenchmarkPhrase2(b *testing.B) {
	benchmarkQuery(b, func(rnd *rand.Rand) string { return `"` + joined(rnd, 2, " ") + `"` })
}

func BenchmarkPrefix(b *testing.B) {
	benchmarkQuery(b, func(rnd *rand.Rand) string { return frequent(1+rnd.IntN(1000)) + "*" })
}

func BenchmarkPutOne(b *testing.B) {
	m, x := benchIndex()(b)
	docs := corpus(1000)
	b.ResetTimer()
	for i := range b.N {
		batch := NewBatch()
		d := docs[i%len(docs)]
		d.ID = int64(i * 7 % 100_000)
		batch.Put(d)
		if err := x.Apply(context.Background(), m, batch); err != nil {
			b.Fatal(err)
		}
	}
}
