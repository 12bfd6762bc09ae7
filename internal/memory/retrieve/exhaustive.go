package retrieve

import (
	"context"
	"fmt"
	"math"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory/embedding"
	"github.com/cairn-kb/cairn/internal/search/lexical"
	"github.com/cairn-kb/cairn/internal/search/query"
	"github.com/cairn-kb/cairn/internal/search/rank"
)

// An exhaustive search returns every page that bears on its question: one that the question
// names, one with this share of the question's words, weighted by their rarity or counted,
// or one with a passage of at least this similarity, on the scale of the built-in model.
// Where nearly all pages have a word its rarity says nothing, so words are counted as well.
// Measured by bench/quality -exhaustive (docs/benchmarks.md).
const (
	bearsWords   = 0.3
	bearsCounted = 0.5
	bearsMeaning = 0.6
)

// thresholds are those of an exhaustive search, and the pages that they left out.
type thresholds struct {
	terms   int // words of the question, 0 for filters alone
	near    map[int64]bool
	words   api.LeftOut
	meaning api.LeftOut
	below   map[int64]float64 // similarities of pages that are near, and not enough
}

// checkExhaustive refuses an exhaustive search that could not say that it is complete.
func (s *Search) checkExhaustive() error {
	switch {
	case !s.req.Exhaustive:
		return nil
	case s.req.Mode != api.ModeHybrid:
		return kb.Errorf(kb.Usage, "an exhaustive search has mode hybrid, not %s", s.req.Mode)
	case s.kinds != nil:
		return kb.Errorf(kb.Usage, "an exhaustive search finds pages, not items")
	}
	asked, _ := query.Relax(s.query)
	s.bearing = &thresholds{terms: len(query.Terms(asked.Root)), near: map[int64]bool{}, below: map[int64]float64{},
		words: api.LeftOut{Least: bearsWords}, meaning: api.LeftOut{Least: bearsMeaning}}
	return nil
}

// bearNear keeps the pages that are near enough to bear on the question, of a list in the
// order of their similarity.
func (s *Search) bearNear(ctx context.Context, rows []int64, best map[int64]*nearest) ([]int64, error) {
	scale, err := embedding.ScaleOf(ctx, s.tx, s.question.model.Model(), s.index)
	if err != nil {
		return nil, err
	}
	b := s.bearing
	for i, row := range rows {
		usual := scale.Usual(best[row].score)
		if usual >= b.meaning.Least {
			b.near[row] = true
			continue
		}
		for _, row := range rows[i:] {
			if usual = scale.Usual(best[row].score); usual < rank.Unrelated {
				break
			}
			b.below[row] = usual
		}
		return rows[:i], nil
	}
	return rows, nil
}

// bearWords keeps the hits that bear on the question by their words or their meaning.
func (b *thresholds) bearWords(hits []lexical.Hit) (kept []lexical.Hit) {
	if b.terms == 0 {
		return hits
	}
	for _, h := range hits {
		share := max(h.Coverage, h.Markup)
		switch {
		case b.near[h.ID]:
		case share >= b.words.Least, float64(len(h.Terms)) >= bearsCounted*float64(b.terms):
			delete(b.below, h.ID)
		default:
			b.words.Pages++
			b.words.Best = max(b.words.Best, round(share))
			continue
		}
		kept = append(kept, h)
	}
	return kept
}

// stateCompleteness describes in the answer how an exhaustive search decided.
func (s *Search) stateCompleteness() {
	b := s.bearing
	if b == nil {
		return
	}
	c := &api.Completeness{Pages: s.out.Total}
	s.out.Completeness = c
	s.stateMissing(c)
	defer func() { c.Complete = len(c.Missing) == 0 }()
	if len(query.Terms(s.query.Root)) == 0 {
		c.Decided = "the filters alone"
		return
	}
	c.Decided = fmt.Sprintf("pages with the question as name, with half of its words, or %.0f %% of them by rarity", 100*b.words.Least)
	c.Words = &b.words
	if s.index == nil {
		c.Missing = append(c.Missing, "semantic search, so pages in other words than the question's")
		return
	}
	c.Decided += fmt.Sprintf(", or with a passage of similarity %.2f or more", b.meaning.Least)
	b.meaning.Pages = len(b.below)
	for _, usual := range b.below {
		b.meaning.Best = max(b.meaning.Best, round(usual))
	}
	c.Meaning = &b.meaning
	if damaged := embedding.DamagedPages(s.engine); damaged > 0 {
		c.Missing = append(c.Missing, fmt.Sprintf("%s with damaged vectors, which only their words can find", api.Plural(damaged, "page")))
	}
}

// stateMissing lists what no search can find now, whatever it asks for.
func (s *Search) stateMissing(c *api.Completeness) {
	for _, m := range []struct {
		n         int
		what, why string
	}{
		{s.out.Left, "page", "not embedded yet, which only their words can find"},
		{s.out.Unsynced, "file", "that could not be read"},
		{s.skipped, "file", "skipped although named like pages"},
		{s.stale, "space", "not checked for changes"},
		{len(s.unread), "page", "left out by the limits of filters of texts"},
	} {
		if m.n > 0 {
			c.Missing = append(c.Missing, api.Plural(m.n, m.what)+" "+m.why)
		}
	}
}

func round(x float64) float64 { return math.Round(x*1000) / 1000 }
