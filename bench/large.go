package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand"
	"path/filepath"
	"strings"

	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/read"
	"github.com/cairn-kb/cairn/internal/memory/retrieve"
)

// queryWords is how many words are joined by OR.
const queryWords = 5

// measureLarge measures a vault of many generated notes: its first sync, as a
// process, then searches of it in one process.
func measureLarge(ctx context.Context, c *setup, r *report) (err error) {
	dir, db := filepath.Join(c.temp, "large"), filepath.Join(c.temp, "large.db", "memory.db")
	if err := generate(ctx, dir, c.notes); err != nil {
		return err
	}
	// Once: it takes as long as everything else together.
	first, err := takeTurns(ctx, 1, []kase{
		{name: "bare walk: read and SHA-256", run: func(ctx context.Context) (sample, error) {
			return process(ctx, c, db, c.self, walkCommand, "hash", dir)
		}},
		{name: "first sync, to searchable", aim: "40 s at 100,000", run: func(ctx context.Context) (sample, error) {
			return process(ctx, c, db, c.bin, "sync", "--quiet", "--in", dir)
		}},
		{name: "sync, nothing changed", run: func(ctx context.Context) (sample, error) {
			return process(ctx, c, db, c.bin, "sync", "--quiet", "--in", dir)
		}},
	})
	if err != nil {
		return err
	}
	r.section(fmt.Sprintf("%d generated notes of %d words", c.notes, wordsPerNote))
	r.turns(first)

	a, err := open(ctx, c, db)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, a.Close()) }()
	if _, err := a.Spaces.Attach(ctx, dir); err != nil {
		return err
	}
	rows, err := searches(ctx, c, a)
	if err != nil {
		return err
	}
	r.section(fmt.Sprintf("Search of %d pages, one process, 10 hits with snippets", c.notes))
	r.latencies(rows)
	return nil
}

// searches asks queries whose words are as frequent as those of the text, so
// most hold one or two of the most frequent words: the hard case.
func searches(ctx context.Context, c *setup, a *memory.Session) ([]latency, error) {
	words := newLexicon(rand.New(rand.NewSource(seed)))
	rows := []latency{
		{name: fmt.Sprintf("%d words joined by OR", queryWords), aim: "p95 4 ms"},
		{name: fmt.Sprintf("%d words, all of them", queryWords), aim: "p95 5 ms"},
		{name: "1 word", aim: "p95 2 ms"},
	}
	for range c.queries {
		drawn := words.distinct(queryWords)
		for i, q := range []string{strings.Join(drawn, " OR "), strings.Join(drawn, " "), drawn[0]} {
			took, err := timed(func() error {
				_, err := read.Search(ctx, a, retrieve.SearchRequest{Query: q})
				return err
			})
			if err != nil {
				return nil, err
			}
			rows[i].took = append(rows[i].took, took)
		}
	}
	return rows, nil
}
