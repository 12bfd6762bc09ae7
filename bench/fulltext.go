package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand"
	"path/filepath"
	"strings"
	"time"

	"github.com/cairn-kb/cairn/internal/search/lexical"
	"github.com/cairn-kb/cairn/internal/search/query"
	"github.com/cairn-kb/cairn/internal/store"
	"github.com/cairn-kb/cairn/internal/store/sqlite"
)

// The full text alone, in the rows of a memory: pages of wordsPerPage words, without
// files, links and snippets, so that ten times as many as are worth syncing can be made.
const (
	wordsPerPage  = 100
	fullTextCache = 64 << 20
	fullTextHits  = 10
	fullTextCount = 1000 // matches that a search counts
	phrasesEvery  = 97   // pages, of which one gives a phrase to look for
)

// fullText is an index of generated pages.
type fullText struct {
	db      store.Memory
	index   *lexical.Index
	phrases []string // that stand in some page
}

// measureFullText measures searches of the full text with as many pages as are asked
// for: each counts all pages that match, and then as many as a search does.
func measureFullText(ctx context.Context, c *setup, r *report) (err error) {
	db, err := sqlite.Open(ctx, filepath.Join(c.temp, "fulltext", "memory.db"), sqlite.Options{})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	f := &fullText{db: db, index: lexical.New(fullTextCache)}
	words := newLexicon(rand.New(rand.NewSource(seed)))
	took, err := timed(func() error { return f.fill(ctx, words, c.pages) })
	if err != nil {
		return err
	}
	r.section(fmt.Sprintf("Full text of %d pages of %d words, %d hits", c.pages, wordsPerPage, fullTextHits))
	r.linef("Built in %s. Of each pair the first counts all pages that match, the second %d.\n", short(took), fullTextCount)
	kinds := []struct {
		name, aim string
		text      func(drawn []string) string
	}{
		{"5 words joined by OR", "p95 16 ms at 1,000,000", func(w []string) string { return strings.Join(w, " OR ") }},
		{"5 words, all of them", "p95 20 ms", func(w []string) string { return strings.Join(w, " ") }},
		{"1 word", "p95 8 ms", func(w []string) string { return w[0] }},
		{"phrase of 2 words", "p95 32 ms", nil},
	}
	rows := make([][2]latency, len(kinds))
	for n := range c.queries {
		drawn := words.distinct(queryWords)
		for i, k := range kinds {
			text := `"` + f.phrases[n%len(f.phrases)] + `"`
			if k.text != nil {
				text = k.text(drawn)
			}
			for j, count := range []int{0, fullTextCount} {
				one, err := timed(func() error { return f.search(ctx, text, count) })
				if err != nil {
					return err
				}
				rows[i][j].took = append(rows[i][j].took, one)
			}
		}
	}
	var all []latency
	for i, k := range kinds {
		rows[i][0].name, rows[i][1].name, rows[i][1].aim = k.name+", all counted", k.name, k.aim
		all = append(all, rows[i][:]...)
	}
	r.pairs(all)
	return nil
}

// fill puts pages into the index and merges it.
func (f *fullText) fill(ctx context.Context, words *lexicon, pages int) error {
	batch := lexical.NewBatch()
	apply := func() error {
		err := f.db.Update(ctx, func(tx store.Tx) error { return f.index.Apply(ctx, tx.Lexical(), batch) })
		batch = lexical.NewBatch()
		return err
	}
	text := make([]string, wordsPerPage)
	for id := range pages {
		for i := range text {
			text[i] = words.word()
		}
		if id%phrasesEvery == 0 {
			f.phrases = append(f.phrases, text[0]+" "+text[1])
		}
		batch.Put(lexical.Document{ID: int64(id), Texts: []lexical.Text{
			{Field: lexical.Title, Value: strings.Join(words.distinct(3), " ")},
			{Field: lexical.Truth, Value: strings.Join(text, " ")},
		}})
		if batch.Size() >= lexical.BatchSize {
			if err := apply(); err != nil {
				return err
			}
		}
	}
	if err := apply(); err != nil {
		return err
	}
	return f.db.Update(ctx, func(tx store.Tx) error { return f.index.Merge(ctx, tx.Lexical()) })
}

func (f *fullText) search(ctx context.Context, text string, count int) error {
	q := query.Parse(text, time.Now())
	return f.db.View(ctx, func(tx store.Tx) error {
		_, err := f.index.Search(ctx, tx.Lexical(), q.Root, lexical.Options{Limit: fullTextHits, Count: count})
		return err
	})
}
