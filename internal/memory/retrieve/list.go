package retrieve

import (
	"cmp"
	"context"
	"slices"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/search/lexical"
	"github.com/cairn-kb/cairn/internal/search/query"
	"github.com/cairn-kb/cairn/internal/store"
)

// listed answers a query that has filters and nothing else, which the store does
// alone: all that they let through is equally good, and so is in the order of refs. It
// reports whether the query is one.
func (s *Search) listed(ctx context.Context, limit int) (list []candidate, ok bool, err error) {
	if _, all := s.query.Root.(*query.All); !all || s.req.Mode == api.ModeExact {
		return nil, false, nil
	}
	f, apart := s.storeFilter(s.query.Filters)
	if len(apart) > 0 {
		return nil, false, nil
	}
	if len(s.query.Filters) == 0 {
		what := "pages"
		if s.kinds != nil {
			what = "items"
		}
		s.note("nothing was asked for: these are all %s, by name", what)
	}
	// The spaces one by one, since the order of slugs is that of refs in one only.
	slices.Sort(f.Spaces)
	not := f.Not
	for _, space := range slices.Compact(f.Spaces) {
		f.Spaces = []int64{space}
		f.Not = &store.Filter{}
		if not != nil {
			*f.Not = *not
		}
		f.Not.Statuses = slices.Concat(f.Not.Statuses, s.hidden[space])
		pages, total, err := s.tx.Pages().List(ctx, f, store.BySlug, limit, 0)
		if err != nil {
			return nil, false, err
		}
		s.total += total
		for _, p := range pages {
			list = append(list, candidate{page: p, words: &lexical.Hit{ID: p.Row}})
		}
	}
	slices.SortStableFunc(list, func(x, y candidate) int { return cmp.Compare(x.page.Ref(), y.page.Ref()) })
	list = list[:min(limit, len(list))]
	for i := range list {
		list[i].wordRank = i + 1
	}
	return list, true, nil
}
