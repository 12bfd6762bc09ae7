package main

import (
	"bytes"
	"context"
	"fmt"
	"math/rand"
	"os"
	"path/filepath"
	"strings"

	"github.com/google/uuid"
)

// measureGuarded measures whole processes over a space of the preset guarded, in a
// repository, of each size: what reads, and a capture with its commit beside a bare commit of
// one file.
func measureGuarded(ctx context.Context, c *setup, r *report) error {
	if err := writeFiles(c.temp, map[string]string{".gitconfig": "[user]\n\tname = Bench\n\temail = bench@example.org\n"}); err != nil {
		return err
	}
	for i, n := range c.guarded {
		aims := map[string]string{}
		if i < len(guardedAims) {
			aims = guardedAims[i]
		}
		if err := measureGuardedOf(ctx, c, r, n, aims); err != nil {
			return err
		}
	}
	return nil
}

// guardedAims are those of 100 nodes, of 1,000 and of 10,000.
var guardedAims = []map[string]string{
	{"status": "50 ms", "index": "20 ms", "query": "20 ms", "lint": "40 ms", "changed": "60 ms", "capture": "80 ms, 3×"},
	{"status": "50 ms", "index": "60 ms", "query": "40 ms", "lint": "200 ms", "changed": "60 ms", "capture": "150 ms, 3×"},
	{"query": "40 ms", "changed": "60 ms", "capture": "3×"},
}

func measureGuardedOf(ctx context.Context, c *setup, r *report, n int, aims map[string]string) error {
	dir, db := filepath.Join(c.temp, fmt.Sprint("guarded-", n)), filepath.Join(c.temp, fmt.Sprint("guarded-", n, ".db"), "memory.db")
	if err := generateNodes(ctx, dir, n); err != nil {
		return err
	}
	cairn := func(args ...string) func(context.Context) (sample, error) {
		return func(ctx context.Context) (sample, error) {
			cmd := command(ctx, c, db, c.bin, args...)
			cmd.Dir = dir
			return toEnd(cmd)
		}
	}
	git := func(ctx context.Context, args ...string) (sample, error) {
		cmd := command(ctx, c, db, "git", args...)
		cmd.Dir = dir
		return toEnd(cmd)
	}
	bare := 0
	change := func() error {
		bare++
		return os.WriteFile(filepath.Join(dir, "bare.txt"), fmt.Appendf(nil, "%d\n", bare), 0o600)
	}
	if _, err := cairn("space", "add", dir, "--preset", "guarded", "--init", "--name", "bench")(ctx); err != nil {
		return err
	}
	if err := change(); err != nil {
		return err
	}
	if _, err := git(ctx, "add", "-A"); err != nil {
		return err
	}
	if _, err := git(ctx, "commit", "-q", "-m", "all"); err != nil {
		return err
	}
	captured := 0
	results, err := takeTurns(ctx, max(c.rounds, c.quick/3), []kase{
		{name: "git commit -o of one file", run: func(ctx context.Context) (sample, error) {
			if err := change(); err != nil {
				return sample{}, err
			}
			return git(ctx, "commit", "-q", "-o", "-m", "bare", "--", "bare.txt")
		}},
		{name: "capture, with its commit", aim: aims["capture"], run: func(ctx context.Context) (sample, error) {
			captured++
			return cairn("capture", fmt.Sprintf("# Captured %d\n\nOn the day of release %d nothing is renamed.", captured, captured),
				"--summary", fmt.Sprintf("What was captured as number %d.", captured))(ctx)
		}},
		{name: "version", run: cairn("version")},
		{name: "status", aim: aims["status"], run: cairn("status")},
		{name: "index", aim: aims["index"], run: cairn("index")},
		{name: "query", aim: aims["query"], run: cairn("query", "node")},
		{name: "query of a few", aim: aims["query"], run: cairn("query", "captured")},
		{name: "lint", aim: aims["lint"], run: cairn("lint")},
		{name: "lint --changed", aim: aims["changed"], run: cairn("lint", "--changed")},
	})
	if err != nil {
		return err
	}
	r.section(fmt.Sprintf("Guarded: %d nodes in a repository, whole processes", n))
	r.turns(results)
	return nil
}

// generateNodes writes nodes of Org as the preset guarded wants them, each of which links to
// three others.
func generateNodes(ctx context.Context, dir string, n int) error {
	r := rand.New(rand.NewSource(seed))
	l := newLexicon(r)
	ids := make([]string, n)
	for i := range ids {
		id, err := uuid.NewRandomFromReader(r)
		if err != nil {
			return err
		}
		ids[i] = id.String()
	}
	types := []string{"principle", "preference", "procedure", "observation", "reference"}
	projects := []string{"general", "emacs", "cairn", "garden"}
	var b bytes.Buffer
	for i, id := range ids {
		if err := ctx.Err(); err != nil {
			return err
		}
		b.Reset()
		fmt.Fprintf(&b, ":PROPERTIES:\n:ID: %s\n:PROJECTS: :%s:\n:CREATED: 2026-05-24\n:UPDATED: 2026-%02d-%02d\n:CREATED_BY: claude-code\n", id, projects[r.Intn(len(projects))], 1+r.Intn(9), 1+r.Intn(28))
		fmt.Fprintf(&b, ":CONFIDENCE: inferred\n:VISIBILITY: personal\n:SOURCE: chat 2026-05-24\n:STATUS: current\n:SUMMARY: What node %d says of %s.\n:END:\n", i, l.word())
		fmt.Fprintf(&b, "#+title: Node %d, %s\n#+filetags: :%s:\n", i, strings.Join(l.distinct(2), " "), types[r.Intn(len(types))])
		for range 4 {
			fmt.Fprintf(&b, "\n%s.\n", strings.Join(l.distinct(60), " "))
		}
		b.WriteString("\n")
		for range 3 {
			fmt.Fprintf(&b, "RELATES_TO [[id:%s][Another]]\n", ids[r.Intn(n)])
		}
		if err := writeFiles(dir, map[string]string{fmt.Sprintf("20260101%06d-node-%d.org", i, i): b.String()}); err != nil {
			return err
		}
	}
	return nil
}
