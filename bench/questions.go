package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

const (
	questionCallers = 8
	// pastQuestions is how often the same question about a past time is asked.
	pastQuestions = 20
)

// measureQuestions measures what an agent's client waits for where nothing
// changed since it last asked, over each directory, embedding off.
func measureQuestions(ctx context.Context, c *setup, r *report) error {
	for _, dir := range c.vaults {
		if err := measureVaultQuestions(ctx, c, r, dir); err != nil {
			return fmt.Errorf("%s: %w", dir, err)
		}
	}
	return nil
}

func measureVaultQuestions(ctx context.Context, c *setup, r *report, dir string) error {
	db, err := agentMemory(ctx, c, "questions-"+filepath.Base(dir))
	if err != nil {
		return err
	}
	for _, args := range [][]string{
		{"config", "set", "embed", "off", "-q"}, {"space", "add", dir, "--name", "vault", "-q"}, {"sync", "--space", "vault", "-q"},
	} {
		if _, err := process(ctx, c, db, c.bin, args...); err != nil {
			return err
		}
	}
	rows, err := askOneByOne(ctx, c, db, dir)
	if err != nil {
		return err
	}
	r.section("Questions over standard streams where nothing changed, " + filepath.Base(dir))
	r.latencies(rows)
	rate, err := askTogether(ctx, c, db, dir)
	if err != nil {
		return err
	}
	r.linef("\n%d callers of one server over HTTP, recall by words: %.0f/s (aim 500)", questionCallers, rate)
	first, again, err := askAboutThen(ctx, c, db, dir)
	if err != nil {
		return err
	}
	if rows, err = askAfterWrites(ctx, c, db, dir); err != nil {
		return err
	}
	r.section("The first question after a write into another space, " + filepath.Base(dir))
	r.latencies(rows)
	r.linef("\nrecall with as_of, after a later write: first %s, again p50 %s (aim 50 ms)", short(first), short(percentile(again, 50)))
	return nil
}

// asked is a question in words that the notes have.
func asked(dir string) (note string, recall map[string]any, err error) {
	note, word, err := sampleNote(dir)
	return note, map[string]any{"query": word, "space": "vault", "mode": "fts", "limit": 5}, err
}

// askOneByOne asks in one session, one kind of question after the other in turn.
func askOneByOne(ctx context.Context, c *setup, db, dir string) (rows []latency, err error) {
	note, recall, err := asked(dir)
	if err != nil {
		return nil, err
	}
	s, err := connectStreams(ctx, c, db)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, s.close()) }()
	tool := func(name string, args map[string]any) func() error {
		return func() error { return call(s, name, args) }
	}
	hybrid := map[string]any{"query": recall["query"], "space": "vault", "limit": 5}
	kinds := []struct {
		name, aim string
		ask       func() error
	}{
		{"bare walk: stat, in this process", "", func() error { _, _, err := walk(dir, false); return err }},
		{"recall, words", "p50 2 ms, p95 5 ms", tool("recall", recall)},
		{"recall, hybrid without vectors", "", tool("recall", hybrid)},
		{"browse, recent", "3 ms", tool("browse", map[string]any{"what": "recent", "space": "vault"})},
		{"browse, tree", "3 ms", tool("browse", map[string]any{"what": "tree", "space": "vault"})},
		{"browse, backlinks", "3 ms", tool("browse", map[string]any{"what": "backlinks", "ref": "vault:" + note})},
		{"status", "10 ms", tool("status", map[string]any{})},
		{"status, in detail", "30 ms", tool("status", map[string]any{"detail": true})},
	}
	rows = make([]latency, len(kinds))
	for i := range c.queries + 1 {
		for j, k := range kinds {
			rows[j].name, rows[j].aim = k.name, k.aim
			took, err := timed(k.ask)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", k.name, err)
			}
			if i > 0 { // the first lists the directory, and fills caches
				rows[j].took = append(rows[j].took, took)
			}
		}
	}
	return rows, nil
}

// askTogether returns how many questions a second are answered to callers who
// ask at once.
func askTogether(ctx context.Context, c *setup, db, dir string) (rate float64, err error) {
	_, recall, err := asked(dir)
	if err != nil {
		return 0, err
	}
	s, err := serve(ctx, c, db)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, s.close()) }()
	var sessions [questionCallers]*overHTTP
	for i := range sessions {
		if sessions[i], err = s.connect(ctx); err == nil {
			err = call(sessions[i], "recall", recall)
		}
		if err != nil {
			return 0, err
		}
	}
	errs := make([]error, questionCallers)
	begin := time.Now()
	var all sync.WaitGroup
	for i, h := range sessions {
		all.Go(func() {
			for range c.queries {
				if errs[i] = call(h, "recall", recall); errs[i] != nil {
					return
				}
			}
		})
	}
	all.Wait()
	return float64(questionCallers*c.queries) / time.Since(begin).Seconds(), errors.Join(errs...)
}

// askAfterWrites asks what is counted anew once somebody committed.
func askAfterWrites(ctx context.Context, c *setup, db, dir string) (rows []latency, err error) {
	s, err := connectStreams(ctx, c, db)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, s.close()) }()
	rows = []latency{{name: "bare walk: stat, in this process"}, {name: "browse, tree"}, {name: "status"}}
	asks := []func() error{
		func() error { _, _, err := walk(dir, false); return err },
		func() error { return call(s, "browse", map[string]any{"what": "tree", "space": "vault"}) },
		func() error { return call(s, "status", map[string]any{}) },
	}
	for i := range min(c.queries, pastQuestions) + 1 {
		for j := range rows {
			if err := writePage(s, databaseSpace, fmt.Sprintf("%s/%d-%d", strings.ToLower(filepath.Base(dir)), i, j)); err != nil {
				return nil, err
			}
			took, err := timed(asks[j])
			if err != nil {
				return nil, err
			}
			if i > 0 {
				rows[j].took = append(rows[j].took, took)
			}
		}
	}
	return rows, nil
}

// askAboutThen asks about the time before a write.
func askAboutThen(ctx context.Context, c *setup, db, dir string) (first time.Duration, again []time.Duration, err error) {
	_, recall, err := asked(dir)
	if err != nil {
		return 0, nil, err
	}
	s, err := connectStreams(ctx, c, db)
	if err != nil {
		return 0, nil, err
	}
	defer func() { err = errors.Join(err, s.close()) }()
	recall["as_of"] = time.Now().UTC().Format(time.RFC3339Nano)
	if err := writePage(s, databaseSpace, "later/"+strings.ToLower(filepath.Base(dir))); err != nil {
		return 0, nil, err
	}
	for range pastQuestions {
		took, err := timed(func() error { return call(s, "recall", recall) })
		if err != nil {
			return 0, nil, err
		}
		again = append(again, took)
	}
	return again[0], again[1:], nil
}
