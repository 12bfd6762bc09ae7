package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// measureAgents measures what an agent's client sees of cairn mcp: the start to
// the list of tools, questions over the first vault, writes one after the
// other, and writes by many clients at once.
func measureAgents(ctx context.Context, c *setup, r *report) error {
	db, err := agentMemory(ctx, c, "agents")
	if err != nil {
		return err
	}
	for _, args := range [][]string{{"space", "add", c.vaults[0], "--name", "vault", "-q"}, {"sync", "--space", "vault", "-q"}} {
		if _, err := process(ctx, c, db, c.bin, args...); err != nil {
			return err
		}
	}
	start := latency{name: "start to the list of tools", aim: "p50 25 ms"}
	for range c.quick {
		took, err := timed(func() error {
			s, err := connectStreams(ctx, c, db)
			if err != nil {
				return err
			}
			return errors.Join(s.ask("tools/list", `{}`), s.in.Close(), s.cmd.Wait())
		})
		if err != nil {
			return err
		}
		start.took = append(start.took, took)
	}
	rows, err := sequential(ctx, c, db)
	if err != nil {
		return err
	}
	asked, idle, err := resting(ctx, c, db)
	if err != nil {
		return err
	}
	r.section("Agents over standard streams, on " + filepath.Base(c.vaults[0]))
	r.linef("| operation | n | p50 | p95 | aim |\n|---|---|---|---|---|")
	for _, x := range append([]latency{start}, rows...) {
		r.linef("| %s | %d | %s | %s | %s |", x.name, len(x.took), short(percentile(x.took, 50)), short(percentile(x.took, 95)), x.aim)
	}
	if idle.whole > 0 {
		r.linef("\nmemory of cairn mcp after a recall: %s; %s later: %s (aim 60 MiB)", asked, c.idle, idle)
	}
	return measureClients(ctx, c, r)
}

// agentMemory makes a memory with an empty space of each kind, and returns its
// database.
func agentMemory(ctx context.Context, c *setup, name string) (db string, err error) {
	dir := filepath.Join(c.temp, name)
	if err := os.MkdirAll(filepath.Join(dir, directorySpace), 0o700); err != nil {
		return "", err
	}
	db = filepath.Join(dir, "memory.db")
	for _, args := range [][]string{
		{"init", "-q"}, {"space", "add", "--database", "--name", databaseSpace, "-q"},
		{"space", "add", filepath.Join(dir, directorySpace), "--name", directorySpace, "-q"},
	} {
		if _, err := process(ctx, c, db, c.bin, args...); err != nil {
			return "", err
		}
	}
	return db, nil
}

// The spaces that agents write to.
const (
	databaseSpace  = "pages"
	directorySpace = "files"
)

// sequential asks and writes in one session.
func sequential(ctx context.Context, c *setup, db string) (rows []latency, err error) {
	s, err := connectStreams(ctx, c, db)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, s.close()) }()
	questions := []string{"how are exceptions caught", "thread local storage", "iterator invalidation", "linker warning"}
	for _, x := range []struct {
		name string
		n    int
		do   func(i int) error
	}{
		{"recall, warm", c.queries, func(i int) error {
			return call(s, "recall", map[string]any{"query": questions[i%len(questions)], "space": "vault"})
		}},
		{"write, database space, one after the other", min(c.puts, 100), func(i int) error {
			return writePage(s, databaseSpace, fmt.Sprintf("one/%d", i))
		}},
		{"write, directory, one after the other", min(c.puts, 100), func(i int) error {
			return writePage(s, directorySpace, fmt.Sprintf("one/%d", i))
		}},
		{"remember, database space, one after the other", min(c.puts, 100), func(i int) error {
			return rememberPage(s, fmt.Sprintf("One after the other %d", i))
		}},
	} {
		row := latency{name: x.name}
		for i := range x.n + 1 {
			took, err := timed(func() error { return x.do(i) })
			if err != nil {
				return nil, err
			}
			if i > 0 { // the first loads the model or opens the space
				row.took = append(row.took, took)
			}
		}
		rows = append(rows, row)
	}
	return rows, nil
}

// noteText is what is written.
const noteText = "# What was learned\n\nA note of an agent, with a few words, and a link to [[another page]].\n\n- one thing\n- another\n"

func writePage(s session, space, slug string) error {
	return call(s, "write", map[string]any{"ref": space + ":" + slug, "text": noteText})
}

// rememberPage also asks for pages that are about the same.
func rememberPage(s session, title string) error {
	return call(s, "remember", map[string]any{"text": noteText, "title": title, "space": databaseSpace})
}
