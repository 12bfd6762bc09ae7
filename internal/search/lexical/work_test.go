package lexical

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/cairn-kb/cairn/internal/search/query"
)

// counted counts what is read of an index, and may end a context at some read.
type counted struct {
	*memory
	reads int
	at    int // the read at which cancel is called
	stop  context.CancelFunc
}

func (c *counted) Pages(ctx context.Context, segment int64, s Stream, from, to int) ([]byte, error) {
	if c.reads++; c.reads == c.at {
		c.stop()
	}
	return c.memory.Pages(ctx, segment, s, from, to)
}

// manyWords are documents with many different words, so that a query of them
// reads many parts of the index.
func manyWords(t *testing.T) *memory {
	m, x := newMemory(), New(1<<20)
	b := NewBatch()
	for id := range int64(300) {
		var text strings.Builder
		for i := range 60 {
			n := (int(id)*7 + i*13) % 900
			fmt.Fprintf(&text, "the word%d of %dth ", n, n*7919)
		}
		b.Put(Document{ID: id, Texts: []Text{{Truth, text.String()}}})
	}
	if err := x.Apply(context.Background(), m, b); err != nil {
		t.Fatal(err)
	}
	return m
}

func reads(t *testing.T, m *memory, q string) int {
	t.Helper()
	r := &counted{memory: m}
	x := New(0) // nothing stays in the cache
	if _, err := x.Search(context.Background(), r, query.Parse(q, time.Time{}).Root, Options{Limit: 10}); err != nil {
		t.Fatal(err)
	}
	return r.reads
}

// A word that a query has many times is read once.
func TestEqualWordsAreReadOnce(t *testing.T) {
	t.Parallel()
	m := manyWords(t)
	for one, many := range map[string]string{
		"the":         strings.Repeat("the ", 500),
		"the OR of":   strings.Repeat("(the OR of) ", 100),
		`"the of"`:    strings.Repeat(`"the of" OR `, 200) + `"the of"`,
		"the.of":      strings.Repeat("the.of.", 250),
		"the-the":     strings.Repeat("the-", 500),
		"title:the":   strings.Repeat("title:the ", 300),
		"the of wor*": strings.Repeat("the of wor* ", 100),
	} {
		few, all := reads(t, m, one), reads(t, m, many)
		if few == 0 || all > 2*few {
			t.Errorf("%s reads %d times, and %.30s... %d times", one, few, many, all)
		}
	}
}

// What is cancelled reads no more, whatever it was at.
func TestCancelledSearchReadsNoMore(t *testing.T) {
	t.Parallel()
	m := manyWords(t)
	var long []string
	for i := range 100 { // words of two pages of the dictionary in turn
		long = append(long, fmt.Sprintf("word%d", i), fmt.Sprintf("%dth", i*7919))
	}
	for name, q := range map[string]string{
		"words":   strings.Join(long, " OR "),
		"starts":  strings.Join(long, "* OR ") + "*",
		"phrases": `"the ` + strings.Join(long, `" OR "the `) + `"`,
	} {
		whole := reads(t, m, q)
		if whole < 20 {
			t.Fatalf("%s: %d reads are too few to be cancelled in the middle", name, whole)
		}
		for at := 5; at < whole-3; at += max(1, whole/7) {
			ctx, stop := context.WithCancel(context.Background())
			r := &counted{memory: m, at: at, stop: stop}
			_, err := New(0).Search(ctx, r, query.Parse(q, time.Time{}).Root, Options{Limit: 10})
			if !errors.Is(err, context.Canceled) {
				t.Errorf("%s, cancelled at read %d of %d: %v", name, at, whole, err)
			}
			if after := r.reads - at; after > 2 {
				t.Errorf("%s, cancelled at read %d: %d reads after it", name, at, after)
			}
			stop()
		}
	}
}

// A frequent word is not read through once a rare one has found enough: neither joined
// by OR nor where both must be there.
func TestFrequentWordsAreSkipped(t *testing.T) {
	t.Parallel()
	m, x := newMemory(), New(1<<20)
	b := NewBatch()
	for id := range int64(60_000) {
		text := strings.Repeat("the ", 1+int(id*7%5)) + "of it"
		if id%3000 == 0 {
			text += " rarity"
		}
		b.Put(Document{ID: id, Texts: []Text{{Truth, text}}})
	}
	if err := x.Apply(context.Background(), m, b); err != nil {
		t.Fatal(err)
	}
	read := func(text string, count int) int {
		q, node, leaves, err := x.prepare(t.Context(), m, query.Parse(text, time.Time{}).Root, Options{})
		if err != nil {
			t.Fatal(err)
		}
		b := &best{searcher: q, node: node, most: count, top: ranking{limit: 5}}
		b.score(leaves)
		for _, s := range q.segments {
			b.search(s)
		}
		if q.err != nil || b.found == 0 {
			t.Fatalf("%s: %d found, %v", text, b.found, q.err)
		}
		return q.blocks
	}
	if all, some := read("the OR rarity", 0), read("the OR rarity", 10); some > all/2 {
		t.Errorf("by OR %d blocks are read to count 10 pages, and %d to count all", some, all)
	}
	if all, both := read("the", 0), read("the rarity", 0); both > all/2 {
		t.Errorf("%d blocks are read for both words, and %d for the frequent one", both, all)
	}
}
