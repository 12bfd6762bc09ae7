package retrieve

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"sync"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/store"
)

// FacetPages is how many of the best pages are counted.
const FacetPages = 1000

// FacetsPast is Facets for a request as of a time.
func FacetsPast(ctx context.Context, sess *memory.Session, req SearchRequest) (out api.Facets, err error) {
	asOf := req.AsOf
	req.AsOf, req.Sync = "", false
	err = Past(ctx, sess, asOf, req.All, func(then *memory.Session) error {
		s, err := Plan(ctx, then, req)
		if err != nil {
			return err
		}
		out, err = s.Facets(ctx)
		return err
	})
	return out, err
}

// Facets counts what the pages have in common that a search by words finds, up to the limit
// of the request.
func (s *Search) Facets(ctx context.Context) (out api.Facets, err error) {
	if s.kinds != nil || s.req.byMeaning() {
		return out, kb.Errorf(kb.Usage, "facets are those of pages, found by words")
	}
	counts := map[string]map[string]int{}
	count := func(facet, value string) {
		if value == "" {
			return
		}
		if counts[facet] == nil {
			counts[facet] = map[string]int{}
		}
		counts[facet][value]++
	}
	err = s.reading(ctx, func(ctx context.Context, tx store.Tx, changed int64) (err error) {
		s.tx, s.mark = tx, changed
		if s.brief, err = store.Keep(s.engine.Kept, s.mark, "facets", func() (*briefPages, error) { return &briefPages{}, nil }); err != nil {
			return err
		}
		list, err := s.list(ctx, s.req.Limit)
		list = list[:min(s.req.Limit, len(list))]
		out.Pages, out.AtLeast = len(list), s.more || s.total > len(list)
		for _, c := range list {
			p := c.page
			count("space", p.Space)
			count("type", p.Type)
			count("status", string(p.Status))
			count("month", monthOf(p))
			for _, t := range p.Tags {
				count("tag", t)
			}
		}
		return err
	})
	for facet, to := range map[string]*[]api.Count{"space": &out.Space, "type": &out.Type, "status": &out.Status, "tag": &out.Tag, "month": &out.Month} {
		*to = []api.Count{}
		for value, n := range counts[facet] {
			*to = append(*to, api.Count{Value: value, Count: n})
		}
		slices.SortFunc(*to, func(a, b api.Count) int {
			if facet == "month" {
				return strings.Compare(b.Value, a.Value)
			}
			return cmp.Or(cmp.Compare(b.Count, a.Count), strings.Compare(a.Value, b.Value))
		})
	}
	return out, err
}

func monthOf(p kb.Page) string {
	day := cmp.Or(p.Day, p.Updated.UTC().Format("2006-01-02"))
	return day[:min(7, len(day))]
}

// briefPages remembers until the next commit what facets count of pages, by row: the searches
// of a person who types find mostly the same pages.
type briefPages struct {
	mu    sync.Mutex
	by    map[int64]briefPage
	texts map[string]string // that many pages have
}

// briefPage is what facets count of a page, and its place among pages with the same score.
type briefPage struct {
	space, slug, kind, month string
	status                   kb.Status
	tags                     []string
}

// maxBrief is how many pages are remembered.
const maxBrief = 32_768

// read returns a function that returns what is known of some pages.
func (b *briefPages) read(ctx context.Context, tx store.Tx, rows []int64) (func(row int64) (kb.Page, bool), error) {
	found := make(map[int64]briefPage, len(rows))
	missing := make([]int64, 0, len(rows))
	b.mu.Lock()
	for _, row := range rows {
		if p, known := b.by[row]; known {
			found[row] = p
		} else {
			missing = append(missing, row)
		}
	}
	b.mu.Unlock()
	pages, err := store.PagesByRow(ctx, tx, missing)
	if err != nil {
		return nil, err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.by == nil || len(b.by)+len(pages) > maxBrief {
		b.by, b.texts = map[int64]briefPage{}, map[string]string{}
	}
	for row, p := range pages {
		brief := briefPage{b.once(p.Space), p.Slug, b.once(p.Type), b.once(monthOf(p)), kb.Status(b.once(string(p.Status))), p.Tags}
		for i, t := range brief.tags {
			brief.tags[i] = b.once(t)
		}
		b.by[row], found[row] = brief, brief
	}
	return func(row int64) (kb.Page, bool) {
		p, ok := found[row]
		return kb.Page{Row: row, Space: p.space, Slug: p.slug, Type: p.kind, Status: p.status, Day: p.month, Tags: p.tags}, ok
	}, nil
}

// once returns one copy of equal texts.
func (b *briefPages) once(text string) string {
	if s, ok := b.texts[text]; ok {
		return s
	}
	b.texts[text] = text
	return text
}
