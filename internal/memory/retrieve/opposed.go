package retrieve

import (
	"context"
	"slices"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory/contradiction"
	"github.com/cairn-kb/cairn/internal/search/query"
	"github.com/cairn-kb/cairn/internal/store"
)

const (
	opposedPages = 5 // the best pages of an answer, which are served together with what contradicts them
	maxOpposed   = 2 // pages that are put next to them
)

// oppose puts the other side of a contradiction next to each of the best pages of a list, so
// that an answer to a question has both sides. Exhaustive lists, and those by name, of similar
// pages or of the past are left as they are.
func (s *Search) oppose(ctx context.Context, list []candidate) ([]candidate, error) {
	if s.req.Mode != api.ModeHybrid || s.req.only != nil || s.byName || s.req.AsOf != "" || s.bearing != nil || len(query.Terms(s.query.Root)) == 0 {
		return list, nil
	}
	best := slices.Clone(list[:min(opposedPages, s.req.Limit, len(list))])
	pages := make([]kb.Page, len(best))
	for i, c := range best {
		pages[i] = c.page
	}
	sides, err := contradiction.Opposed(ctx, s.engine, s.tx, pages)
	if err != nil || len(sides) == 0 {
		return list, err
	}
	moved := 0
	for _, c := range best {
		others, err := store.PagesByRow(ctx, s.tx, sides[c.page.Row])
		if err != nil {
			return nil, err
		}
		for _, row := range sides[c.page.Row] {
			p, known := others[row]
			at := slices.IndexFunc(list, func(x candidate) bool { return x.page.Row == row })
			if !known || moved == maxOpposed || at >= 0 && at < s.req.Limit || at < 0 && !s.mayFollow(p) {
				continue
			}
			other := candidate{page: p, follows: true}
			if at >= 0 {
				other = list[at]
				list = slices.Delete(list, at, at+1)
			}
			other.score, other.loose = c.score, c.loose
			next := slices.IndexFunc(list, func(x candidate) bool { return x.page.Row == c.page.Row }) + 1
			list = slices.Insert(list, next, other)
			moved++
		}
	}
	if moved == 0 {
		return list, nil
	}
	return list, s.match(ctx, list)
}
