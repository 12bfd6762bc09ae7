package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/cairn-kb/cairn/internal/brief"
	"github.com/cairn-kb/cairn/internal/knowledge/ageing"
	"github.com/cairn-kb/cairn/internal/knowledge/compact"
	"github.com/cairn-kb/cairn/internal/memory/space"
	"github.com/cairn-kb/cairn/internal/upkeep/gitsync"
)

const (
	// Captured pages are short.
	captureWords = 40
	// One in so many pages is stale, and takes part in clusters.
	staleShare = 10
	// One in so many of the others is over the limit of its space when a pass looks.
	dueShare = 50
)

// measureAgeing measures what is said of a large space of the preset capture at the
// start of a session, a pass over its pages, and the search for clusters among those
// that are stale, in one process.
func measureAgeing(ctx context.Context, c *setup, r *report) (err error) {
	dir, db := filepath.Join(c.temp, "ageing"), filepath.Join(c.temp, "ageing.db", "memory.db")
	if err := generateCaptures(ctx, c, dir); err != nil {
		return err
	}
	if _, err := process(ctx, c, db, c.bin, "sync", "--quiet", "--in", dir); err != nil {
		return err
	}
	version, err := vectorVersion(ctx, c, db, "--in", dir, nameOf(0))
	if err != nil {
		return err
	}
	if _, err := fillVectors(ctx, c, db, version, 1); err != nil {
		return err
	}
	a, err := open(ctx, c, db)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, a.Close()) }()
	in, err := gitsync.AddSpace(ctx, a, space.AddRequest{Root: dir, Accept: true})
	if err != nil {
		return err
	}
	a = a.In(in.Name)
	var due, clusters int
	rows := []latency{{name: "brief of a session", aim: "20 ms"}, {name: "brief of all spaces", aim: "20 ms"}, {name: "prime, for the first time"}, {name: "pass, as a dry run", aim: "1 s"}, {name: fmt.Sprintf("clusters of %d stale pages", c.notes/staleShare), aim: "5 s"}}
	for i, do := range []func() error{
		func() error { _, err := brief.ComposeContext(ctx, a, brief.GistRequest{}); return err },
		func() error { _, err := brief.ComposeContext(ctx, a, brief.GistRequest{Recent: true}); return err },
		func() error { _, err := brief.PrimeSession(ctx, a, brief.PrimeRequest{}); return err },
		func() error {
			p, err := ageing.Pass(ctx, a, ageing.PassRequest{DryRun: true})
			if err == nil {
				due = len(p.Spaces[0].Stale)
			}
			return err
		},
		func() error {
			p, err := compact.MakePlan(ctx, a, compact.PlanRequest{})
			clusters = len(p.Clusters)
			return err
		},
	} {
		for range c.rounds {
			took, err := timed(do)
			if err != nil {
				return err
			}
			rows[i].took = append(rows[i].took, took)
		}
	}
	r.section(fmt.Sprintf("Ageing of %d captured pages, one process; %d are due, and there are %d clusters", c.notes, due, clusters))
	r.latencies(rows)
	return nil
}

// generateCaptures writes pages as captures leave them: one in staleShare is stale, and
// each has relations to two others.
func generateCaptures(ctx context.Context, c *setup, dir string) error {
	policy, err := os.ReadFile(filepath.Join(c.root, "presets", "capture.toml"))
	if err != nil {
		return err
	}
	if err := writeFiles(dir, map[string]string{".cairn/space.toml": string(policy)}); err != nil {
		return err
	}
	r := rand.New(rand.NewSource(seed))
	l := newLexicon(r)
	today := time.Now().UTC()
	var b bytes.Buffer
	for i := range c.notes {
		if err := ctx.Err(); err != nil {
			return err
		}
		b.Reset()
		age := r.Intn(28)
		if i%dueShare == 1 {
			age = 61 + r.Intn(300)
		}
		fmt.Fprintf(&b, "---\ntype: knowledge\ncreated: %s\nsource: capture\ntags: [%s]\n", today.AddDate(0, 0, -age).Format(time.RFC3339), l.word())
		if i%staleShare == 0 {
			b.WriteString("status: stale\nstale_since: 2026-11-01\nstale_reason: out of date\n")
		}
		fmt.Fprintf(&b, "---\n# %s %d\n\n%s.\n\n", strings.Join(l.distinct(3), " "), i, strings.Join(l.distinct(captureWords), " "))
		for range 2 {
			fmt.Fprintf(&b, "- related [[%s]]\n", nameOf(r.Intn(c.notes)))
		}
		if err := writeFiles(dir, map[string]string{filepath.Join(directoryOf(i), nameOf(i)+".md"): b.String()}); err != nil {
			return err
		}
	}
	return nil
}
