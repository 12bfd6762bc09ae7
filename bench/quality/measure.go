package main

import (
	"context"
	"fmt"

	"github.com/cairn-kb/cairn/internal/app"
)

// retrieved is how many hits of a query are looked at. Only MRR sees those
// after the tenth.
const retrieved = 20

// way is a way to search.
type way struct {
	mode   app.Mode
	fusion app.Fusion
}

func (w way) String() string {
	if w.mode != app.ModeHybrid {
		return string(w.mode)
	}
	return string(w.mode) + ", " + string(w.fusion)
}

var ways = []way{
	{app.ModeWords, ""},
	{app.ModeVector, ""},
	{app.ModeHybrid, app.SetUnion},
	{app.ModeHybrid, app.RRF},
	{app.ModeHybrid, app.Weighted},
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
func measure(ctx context.Context, a *app.App, s *set, w way) (result, error) {
	r := result{Set: s.name, Notes: len(s.notes), Queries: len(s.queries), Way: w.String()}
	var all []scores
	for _, q := range s.queries {
		found, err := a.Search(ctx, app.SearchRequest{Query: q.text, Limit: retrieved, Mode: w.mode, Fusion: w.fusion})
		if err != nil {
			return r, fmt.Errorf("%s: %q: %w", s.name, q.text, err)
		}
		// A search without its vectors still answers; it would not be what is
		// reported here.
		if found.Mode != w.mode || found.Left > 0 {
			return r, fmt.Errorf("%s: %q was searched by %s with %d notes not embedded: %v", s.name, q.text, found.Mode, found.Left, found.Notes)
		}
		var ranking []string
		for _, h := range found.Items {
			ranking = append(ranking, h.Path)
		}
		all = append(all, judge(ranking, q.want))
	}
	r.scores = mean(all)
	return r, nil
}
