package main

import (
	"context"
	"errors"
	"fmt"
	"github.com/cairn-kb/cairn/internal/memory"
	"math/rand"
	"path/filepath"
	"time"

	"github.com/cairn-kb/cairn/internal/calendar/day"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory/change"
	"github.com/cairn-kb/cairn/internal/memory/space"
	"github.com/cairn-kb/cairn/internal/upkeep"
	"github.com/cairn-kb/cairn/internal/upkeep/gitsync"
	"github.com/cairn-kb/cairn/internal/upkeep/jobs"
)

// measureContext measures what keeps a context vault in order, in one process: the first
// read of a day, which turns it over, and the lists of its pages.
func measureContext(ctx context.Context, c *setup, r *report) error {
	for _, n := range []int{max(c.notes/1000, 10), c.notes / 10} {
		if err := measureContextOf(ctx, c, r, n); err != nil {
			return err
		}
	}
	return nil
}

func measureContextOf(ctx context.Context, c *setup, r *report, n int) (err error) {
	dir := filepath.Join(c.temp, fmt.Sprint("context-", n))
	if err := generateEntities(ctx, dir, n); err != nil {
		return err
	}
	now := time.Now()
	a, err := memory.Open(ctx, memory.Options{
		Hooks: upkeep.Hooks(),
		Place: space.Place{Env: func(string) string { return "" }, Dir: c.temp, Home: c.temp, DB: filepath.Join(c.temp, fmt.Sprint("context-", n, ".db"), "memory.db")},
		Actor: kb.Actor{Kind: kb.Human}, Now: func() time.Time { return now },
	}, true)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, a.Close()) }()
	s, err := gitsync.AddSpace(ctx, a, space.AddRequest{Root: dir, Preset: "context"})
	if err != nil {
		return err
	}
	a = a.In(s.Name)
	if _, err := gitsync.Sync(ctx, a, gitsync.SyncRequest{}); err != nil {
		return err
	}
	pages := 0
	do := []func() error{
		func() error { _, err := day.AddToday(ctx, a, day.TodayRequest{}); return err },
		func() error { _, err := day.AddToday(ctx, a, day.TodayRequest{}); return err },
		func() error {
			_, err := jobs.Maintain(ctx, a, jobs.MaintainRequest{Jobs: []string{"regions"}, Force: true})
			return err
		},
		func() error {
			pages++
			_, err := change.Put(ctx, a, change.PutRequest{Ref: fmt.Sprint("knowledge/entities/work/notes/new-", pages), Text: []byte("New.\n")})
			return err
		},
	}
	rows := []latency{
		{name: "read of the day"}, {name: "first read of a day, with lines in the one before", aim: "50 ms"},
		{name: "all lists, where nothing changed", aim: "200 ms"}, {name: "a new page, with the lists that have it"},
	}
	for range c.rounds * 4 {
		for i := range rows {
			if i == 1 { // what the day before says is kept, too, since nobody recorded it
				if _, err := day.AddToday(ctx, a, day.TodayRequest{Kind: "log", Text: "Wove."}); err != nil {
					return err
				}
				now = now.AddDate(0, 0, 1)
			}
			took, err := timed(do[i])
			if err != nil {
				return fmt.Errorf("%s: %w", rows[i].name, err)
			}
			rows[i].took = append(rows[i].took, took)
		}
	}
	r.section(fmt.Sprintf("A context vault with %d entities, one process", n))
	r.latencies(rows)
	return nil
}

// generateEntities writes pages as agents keep them of people, trips, receipts and the like.
func generateEntities(ctx context.Context, dir string, n int) error {
	r := rand.New(rand.NewSource(seed))
	l := newLexicon(r)
	for i := range n {
		if err := ctx.Err(); err != nil {
			return err
		}
		domain := []string{"work", "travel", "finance", "personal", "health", "learning"}[i%6]
		kind := []string{"meetings", "trips", "receipts", "projects", "books", "notes"}[i/6%6]
		text := fmt.Sprintf("---\ntitle: %s %d\nowner: agent\n---\n\n# %s %d\n\n%s %s %s.\n", l.word(), i, l.word(), i, l.word(), l.word(), l.word())
		if err := writeFiles(dir, map[string]string{filepath.Join("knowledge", "entities", domain, kind, nameOf(i)+".md"): text}); err != nil {
			return err
		}
	}
	return nil
}
