package lexical

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cairn-kb/cairn/internal/search/language"
	"github.com/cairn-kb/cairn/internal/search/query"
)

// far is a memory that is far away.
type far struct {
	*memory
	announced map[PageAt]bool
	trips     int      // announcements, and reads that were not announced
	marked    bool     // the page of marks was read
	missing   []PageAt // that were not announced
}

func (f *far) IsFar() bool { return true }

func (f *far) Ahead(_ context.Context, pages []PageAt) error {
	if len(pages) > 0 {
		f.trips++
	}
	for _, p := range pages {
		f.announced[p] = true
	}
	return nil
}

func (f *far) Pages(ctx context.Context, segment int64, s Stream, from, to int) ([]byte, error) {
	f.marked = f.marked || s == streamMarks
	for p := from; p < to; p++ {
		if at := (PageAt{segment, s, p}); !f.announced[at] {
			f.trips++
			f.missing = append(f.missing, at)
		}
	}
	return f.memory.Pages(ctx, segment, s, from, to)
}

// severalSegments are several, of many words.
func severalSegments(t *testing.T) *memory {
	t.Helper()
	ctx, m, x := context.Background(), newMemory(), New(1<<20)
	rnd := rand.New(rand.NewPCG(7, 7))
	for i := range 5 {
		b := NewBatch()
		for j := range 60 {
			text := "lanterns were lit on the pier"
			for range 150 {
				text += fmt.Sprintf(" %x", rnd.Uint64())
			}
			if i == 3 {
				text += " die brücke ist nicht fertig und das boot mit der fahne"
			}
			b.Put(Document{ID: int64(100*i + j), Texts: []Text{{Truth, text}}})
		}
		if err := x.Apply(ctx, m, b); err != nil {
			t.Fatal(err)
		}
	}
	return m
}

// A new process of a store that is far away reads in few round trips, however many segments
// there are: their tables, words, words of the same stems, and postings.
func TestFewTrips(t *testing.T) {
	t.Parallel()
	ctx, m := context.Background(), severalSegments(t)
	for _, text := range []string{"lantern pier", `"lit on the pier"`, "pier -fahne", "boot OR lanterns"} {
		f := &far{memory: m, announced: map[PageAt]bool{}}
		got, err := New(1<<20).Search(ctx, f, query.Parse(text, time.Time{}).Root, Options{Limit: 10})
		if err != nil || got.Total == 0 {
			t.Fatalf("%s: %v, %v", text, got, err)
		}
		near, err := New(1<<20).Search(ctx, m, query.Parse(text, time.Time{}).Root, Options{Limit: 10})
		if err != nil || !slices.EqualFunc(near.Hits, got.Hits, func(a, b Hit) bool { return a.ID == b.ID && a.Score == b.Score }) {
			t.Errorf("%s: other hits than near by", text)
		}
		if f.trips > 4 && text[0] != '"' { // positions are read where words are next to each other
			t.Errorf("%s: %d trips, not announced: %v", text, f.trips, f.missing)
		}
	}
	f := &far{memory: m, announced: map[PageAt]bool{}}
	x := New(1 << 20)
	if is, err := x.PhraseIn(ctx, f, "lanterns were not here", 10); err != nil || is || f.trips > 5 {
		t.Errorf("a phrase: %v, %v, %d trips, not announced: %v", is, err, f.trips, f.missing)
	}
}

// Questions to the whole dictionary take as few, and a word that is not there needs no more than
// the page on which it would be.
func TestFewTripsToTheDictionary(t *testing.T) {
	t.Parallel()
	ctx, m := context.Background(), severalSegments(t)
	for name, ask := range map[string]func(*Index, Reader) error{
		"similar words": func(x *Index, r Reader) error { return x.Similar(ctx, r, "lantrens", 2, func([]byte) {}) },
		"all words":     func(x *Index, r Reader) error { return x.Vocabulary(ctx, r, "", func([]byte) bool { return true }) },
		"a prefix":      func(x *Index, r Reader) error { return x.Vocabulary(ctx, r, "9", func([]byte) bool { return true }) },
		"a search for a prefix": func(x *Index, r Reader) error {
			_, err := x.Search(ctx, r, query.Parse("8*", time.Time{}).Root, Options{Limit: 10, Count: 10})
			return err
		},
	} {
		f := &far{memory: m, announced: map[PageAt]bool{}}
		if err := ask(New(1<<20), f); err != nil || slices.ContainsFunc(f.missing, func(p PageAt) bool { return p.Stream == streamTerms }) {
			t.Errorf("%s: %v, not announced: %v", name, err, f.missing)
		}
		if f.trips > 2 && !strings.HasPrefix(name, "a search") { // which reads postings of many words
			t.Errorf("%s: %d trips", name, f.trips)
		}
	}
	x := New(1 << 20)
	segments, err := x.openAll(ctx, m)
	if err != nil {
		t.Fatal(err)
	}
	pages := 0
	for _, s := range segments {
		for page := range len(s.firsts) - 1 {
			before := append(slices.Clone(s.firsts[page+1]), 0)
			before[len(before)-2]-- // follows all keys of its page
			f := &far{memory: m, announced: map[PageAt]bool{}}
			if _, found, err := New(1<<20).lookUp(ctx, f, s.table, before); err != nil || found || f.trips > 1 {
				t.Errorf("%q: %v, %v, read: %v", before, found, err, f.missing)
			}
			pages++
		}
	}
	if pages == 0 {
		t.Error("no dictionary has several pages")
	}
}

// Large segments keep the marks of languages; those of an earlier program lack them.
func TestKeptMarks(t *testing.T) {
	t.Parallel()
	ctx, m := context.Background(), severalSegments(t)
	german := func(f *far) {
		t.Helper()
		got, err := New(1<<20).Languages(ctx, f)
		if err != nil || len(got) != 1 || got[0].Name != "German" {
			t.Fatalf("languages: %v, %v", got, err)
		}
	}
	f := &far{memory: m, announced: map[PageAt]bool{}}
	if german(f); !f.marked || slices.ContainsFunc(f.missing, func(p PageAt) bool { return p.Stream == streamTerms }) {
		t.Errorf("words were looked up: %v", f.missing)
	}
	n := 0
	for at, page := range m.pages {
		if at.stream != streamMarks {
			continue
		}
		n++
		had := slices.Clone(page)
		if err := toOtherMarks(page); err != nil { // of another list of marks
			t.Fatal(err)
		}
		german(&far{memory: m, announced: map[PageAt]bool{}})
		copy(page, had)
		page[5] ^= 1
		if _, err := New(1<<20).Languages(ctx, m); err == nil {
			t.Error("damaged marks are read")
		}
		delete(m.pages, at)
		german(&far{memory: m, announced: map[PageAt]bool{}})
	}
	if n == 0 || len(language.All) == 0 {
		t.Error("no segment has marks")
	}
}

// toOtherMarks makes a page one with other marks.
func toOtherMarks(page []byte) error {
	payload, err := unsealed(page, streamMarks, 0)
	if err == nil {
		payload[0] ^= 1
		clear(payload[4:])
		copy(page, sealed(payload, streamMarks, 0))
	}
	return err
}
