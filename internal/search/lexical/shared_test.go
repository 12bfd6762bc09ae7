package lexical

import (
	"context"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/cairn-kb/cairn/internal/search/query"
)

// TestPhraseIn: at least so many documents have a phrase as a search for it finds.
func TestPhraseIn(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	rnd := rand.New(rand.NewPCG(5, 1))
	m, x := newMemory(), New(1<<20)
	var texts [][]string // words of those that are long
	for range 6 {
		b := NewBatch()
		for range 40 {
			d := randomDocument(rnd, rnd.Int64N(150))
			b.Put(d)
			for _, t := range d.Texts {
				if words := strings.Fields(t.Value); len(words) > 4*wordsAtATime {
					texts = append(texts, words)
				}
			}
		}
		if err := x.Apply(ctx, m, b); err != nil {
			t.Fatal(err)
		}
	}
	some := 0
	for i := range 300 {
		phrase := randomText(rnd, 1+rnd.IntN(3))
		if i%3 == 0 {
			words := texts[rnd.IntN(len(texts))] // the document may have been replaced
			phrase = strings.Join(words[len(words)-1-rnd.IntN(4*wordsAtATime):], " ")
		}
		r, err := x.Search(ctx, m, &query.Phrase{Text: phrase}, Options{})
		if err != nil {
			t.Fatal(err)
		}
		for _, n := range []int{1, r.Total, r.Total + 1, 150} {
			is, err := x.PhraseIn(ctx, m, phrase, n)
			if err != nil || is != (r.Total >= n) {
				t.Fatalf("%q in %d documents, at least %d: %v, %v", phrase, r.Total, n, is, err)
			}
		}
		if r.Total > 1 {
			some++
		}
	}
	if some < 100 {
		t.Fatalf("only %d phrases are in several documents", some)
	}
}

// TestPhraseInOfFrequentWords: many documents have all words, and some the phrase.
func TestPhraseInOfFrequentWords(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	m, x := newMemory(), New(1<<20)
	b := NewBatch()
	for id := range int64(3 * manyDocuments) {
		text := "stone of the wall"
		if id%100 == 0 {
			text = "the stone of a wall"
		}
		b.Put(Document{ID: id, Texts: []Text{{Truth, text}}})
	}
	if err := x.Apply(ctx, m, b); err != nil {
		t.Fatal(err)
	}
	for phrase, has := range map[string]int{"the stone": 30, "stone of": 3 * manyDocuments, "of the wall": 3*manyDocuments - 30, "wall the": 0} {
		for _, n := range []int{1, 10, 29, 30, 31, manyDocuments, 3*manyDocuments - 30, 3 * manyDocuments, 3*manyDocuments + 1} {
			if is, err := x.PhraseIn(ctx, m, phrase, n); err != nil || is != (has >= n) {
				t.Errorf("%q in %d documents, at least %d: %v, %v", phrase, has, n, is, err)
			}
		}
	}
}

// What few documents have is known without reading the postings of frequent words.
func TestPhraseInReadsTheRarestWords(t *testing.T) {
	t.Parallel()
	m := manyWords(t)
	r := &counted{memory: m}
	// word1 is in few documents, and "the" and "of" in all.
	if is, err := New(0).PhraseIn(context.Background(), r, "the word1 of", 250); is || err != nil {
		t.Fatal(is, err)
	}
	alone := &counted{memory: m}
	if _, err := New(0).Search(context.Background(), alone, &query.Phrase{Text: "the word1 of"}, Options{}); err != nil {
		t.Fatal(err)
	}
	if r.reads >= alone.reads {
		t.Fatalf("%d reads, and a search makes %d", r.reads, alone.reads)
	}
}
