package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"time"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/memory/links"
	"github.com/cairn-kb/cairn/internal/memory/retrieve"
	"github.com/cairn-kb/cairn/internal/upkeep/gitsync"
)

// measureGraph measures what a server needs for the links at a page and for the
// pages around it, at pages drawn by chance.
func measureGraph(ctx context.Context, c *setup, r *report) error {
	for i, dir := range c.vaults {
		if err := measureGraphOf(ctx, c, r, dir, filepath.Join(c.temp, fmt.Sprintf("graph-%d.db", i))); err != nil {
			return err
		}
	}
	return nil
}

func measureGraphOf(ctx context.Context, c *setup, r *report, dir, db string) (err error) {
	a, err := open(ctx, c, db)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, a.Close()) }()
	if _, err := a.Spaces.Attach(ctx, dir); err != nil {
		return err
	}
	if _, err := gitsync.Sync(ctx, a, gitsync.SyncRequest{}); err != nil {
		return err
	}
	pages, err := retrieve.Pages(ctx, a, retrieve.ListRequest{})
	if err != nil {
		return err
	}
	if len(pages.Items) == 0 {
		return fmt.Errorf("%s has no notes", dir)
	}
	random := rand.New(rand.NewPCG(16, 1))
	var from, to, around []time.Duration
	most := 0
	for range c.queries {
		ref := pages.Items[random.IntN(len(pages.Items))].Ref
		for _, step := range []struct {
			took *[]time.Duration
			do   func() error
		}{
			{&from, func() error { _, err := links.List(ctx, a, api.LinksRequest{Ref: ref, Limit: 50}); return err }},
			{&to, func() error {
				_, err := links.List(ctx, a, api.LinksRequest{Way: api.In, Ref: ref, Limit: 50})
				return err
			}},
			{&around, func() error {
				g, err := links.AroundRef(ctx, a, api.GraphRequest{Ref: ref})
				most = max(most, len(g.Nodes)+g.LeftOut)
				return err
			}},
		} {
			d, err := timed(step.do)
			if err != nil {
				return err
			}
			*step.took = append(*step.took, d)
		}
	}
	r.section(fmt.Sprintf("Links, %s: %d pages, at most %d around one", filepath.Base(dir), len(pages.Items), most))
	r.latencies([]latency{
		{name: "links of a page", took: from},
		{name: "links to a page, the first 50", took: to},
		{name: "graph, depth 2, 50 pages", aim: "p95 10 ms", took: around},
	})
	return nil
}
