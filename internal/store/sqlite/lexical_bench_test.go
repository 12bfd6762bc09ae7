package sqlite

import (
	"context"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/cairn-kb/cairn/internal/search/lexical"
	"github.com/cairn-kb/cairn/internal/search/query"
	"github.com/cairn-kb/cairn/internal/store"
)

// benchDocs is the size of the benchmarks' index; CAIRN_BENCH_DOCS sets
// another.
func benchDocs() int64 {
	if n, err := strconv.ParseInt(os.Getenv("CAIRN_BENCH_DOCS"), 10, 64); err == nil {
		return n
	}
	return 10_000
}

// zipfText makes text of n words distributed as in prose.
func zipfText(z *rand.Zipf, n int) string {
	var b strings.Builder
	for range n {
		b.WriteString("word" + strconv.FormatUint(z.Uint64(), 36) + " ")
	}
	return b.String()
}

func benchLexical(b *testing.B) (*DB, *lexical.Index, *rand.Zipf) {
	b.Helper()
	ctx := context.Background()
	db, x := open(b), lexical.New(64<<20)
	z := rand.NewZipf(rand.New(rand.NewPCG(1, 2)), 1.2, 3, 200_000)
	batch := lexical.NewBatch()
	apply := func() {
		if err := db.Update(ctx, func(t store.Tx) error { return x.Apply(ctx, t.(*tx).Lexical(), batch) }); err != nil {
			b.Fatal(err)
		}
		batch = lexical.NewBatch()
	}
	for i := range benchDocs() {
		batch.Put(benchDocument(z, i))
		if batch.Size() > lexical.BatchSize {
			apply()
		}
	}
	apply()
	if err := db.Update(ctx, func(t store.Tx) error { return x.Merge(ctx, t.(*tx).Lexical()) }); err != nil {
		b.Fatal(err)
	}
	return db, x, z
}

func benchDocument(z *rand.Zipf, id int64) lexical.Document {
	return lexical.Document{ID: id, Texts: []lexical.Text{
		{Field: lexical.Title, Value: zipfText(z, 4)}, {Field: lexical.Truth, Value: zipfText(z, 300)},
	}}
}

func BenchmarkLexicalPut(b *testing.B) {
	ctx := context.Background()
	db, x, z := benchLexical(b)
	b.ResetTimer()
	for i := range b.N {
		batch := lexical.NewBatch()
		batch.Put(benchDocument(z, int64(i)%benchDocs()))
		if err := db.Update(ctx, func(t store.Tx) error { return x.Apply(ctx, t.(*tx).Lexical(), batch) }); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkLexicalOr5(b *testing.B) {
	ctx := context.Background()
	db, warm, z := benchLexical(b)
	for _, c := range []struct {
		name  string
		index func() *lexical.Index
	}{
		{"warm", func() *lexical.Index { return warm }},
		{"cold", func() *lexical.Index { return lexical.New(64 << 20) }},
	} {
		b.Run(c.name, func(b *testing.B) {
			hits := 0
			for range b.N {
				var words query.Or
				for range 5 {
					words.Nodes = append(words.Nodes, &query.Word{Text: strings.TrimSpace(zipfText(z, 1))})
				}
				err := db.View(ctx, func(t store.Tx) error {
					res, err := c.index().Search(ctx, t.(*tx).Lexical(), &words, lexical.Options{Limit: 20})
					if err == nil {
						hits += res.Total
					}
					return err
				})
				if err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(hits)/float64(b.N), "hits/op")
		})
	}
}
