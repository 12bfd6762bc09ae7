package retrieve

import (
	"cmp"
	"context"
	"slices"
	"strings"

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
	err = store.ViewAt(ctx, s.engine.DB, func(tx store.Tx, changed int64) error {
		s.tx, s.mark = tx, changed
		list, err := s.list(ctx, s.req.Limit)
		list = list[:min(s.req.Limit, len(list))]
		out.Pages, out.AtLeast = len(list), s.more || s.total > len(list)
		for _, c := range list {
			p := c.page
			count("space", p.Space)
			count("type", p.Type)
			count("status", string(p.Status))
			day := cmp.Or(p.Day, p.Updated.UTC().Format("2006-01-02"))
			count("month", day[:min(7, len(day))])
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
