package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/read"
	"github.com/cairn-kb/cairn/internal/memory/retrieve"
)

// retrieved is how many hits of a query are looked at. Only MRR sees those
// after the tenth.
const retrieved = 20

// way is a way to search. find returns the paths of notes, best first, each
// once.
type way struct {
	name string
	find func(ctx context.Context, text string) ([]string, error)
}

// modes are the ways that cairn offers, the default last.
var modes = []retrieve.SearchRequest{
	{Mode: api.ModeWords},
	{Mode: api.ModeVector},
	{Mode: api.ModeHybrid, Fusion: retrieve.SetUnion},
	{Mode: api.ModeHybrid, Fusion: retrieve.RRF},
	{Mode: api.ModeHybrid, Fusion: retrieve.Weighted},
}

// searching is a mode of cairn as a way to search.
func searching(a *memory.Session, mode retrieve.SearchRequest) way {
	name := string(mode.Mode)
	if mode.Fusion != "" {
		name += ", " + string(mode.Fusion)
	}
	return way{name, func(ctx context.Context, text string) ([]string, error) {
		mode.Query, mode.Limit = text, retrieved
		found, err := read.Search(ctx, a, mode)
		if err != nil {
			return nil, err
		}
		// A search without its vectors still answers; it would not be what is
		// reported here.
		if found.Mode != mode.Mode || found.Left > 0 {
			return nil, fmt.Errorf("searched by %s with %d notes not embedded: %v", found.Mode, found.Left, found.Notes)
		}
		var paths []string
		for _, h := range found.Items {
			paths = append(paths, h.Path)
		}
		return paths, nil
	}}
}

// result is what one way of searching reached in one set.
type result struct {
	Set     string `json:"set"`
	Notes   int    `json:"notes"`
	Queries int    `json:"queries"`
	Way     string `json:"way"`
	scores
}

// measure runs every query of a set one way.
func measure(ctx context.Context, s *set, w way) (result, error) {
	r := result{Set: s.name, Notes: len(s.notes), Queries: len(s.queries), Way: w.name}
	var all []scores
	for _, q := range s.queries {
		ranking, err := w.find(ctx, q.text)
		if err != nil {
			return r, fmt.Errorf("%s: %q: %w", s.name, q.text, err)
		}
		all = append(all, judge(ranking, q.want))
	}
	r.scores = mean(all)
	return r, nil
}

// measureAll measures a set in every way there is: plain FTS5, the modes of
// cairn, and vectors alone and hybrid with each of other models.
func measureAll(ctx context.Context, dir string, s *set, models []string, progress io.Writer) (out []result, err error) {
	add := func(w way) error {
		fmt.Fprintf(progress, "%s: %d queries, %s\n", s.name, len(s.queries), w.name)
		r, err := measure(ctx, s, w)
		out = append(out, r)
		return err
	}
	plain, err := newPlainFTS5(ctx, s)
	if err != nil {
		return nil, err
	}
	err = errors.Join(add(way{"plain FTS5", plain.find}), plain.db.Close())
	if err != nil {
		return nil, err
	}
	m, err := remember(ctx, dir, s)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, m.Close()) }()
	if err := use(ctx, m, "", progress); err != nil {
		return nil, err
	}
	for _, mode := range modes {
		if err := add(searching(m, mode)); err != nil {
			return nil, err
		}
	}
	for _, model := range models {
		if err := use(ctx, m, model, progress); err != nil {
			return nil, err
		}
		for _, mode := range []api.Mode{api.ModeVector, api.ModeHybrid} {
			w := searching(m, retrieve.SearchRequest{Mode: mode})
			w.name += ", " + filepath.Base(model)
			if err := add(w); err != nil {
				return nil, err
			}
		}
	}
	return out, nil
}
