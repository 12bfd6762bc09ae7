package retrieve

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"time"

	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/policy"
	"github.com/cairn-kb/cairn/internal/search/lexical"
	"github.com/cairn-kb/cairn/internal/store"
)

// The relations by which a page has a successor, by kb.NameKey: from the successor to the
// page, and from the page to its successor. Policies may have more of the former.
var (
	succeeds  = []string{"supersedes"}
	succeeded = []string{"superseded-by", "compacted-into"}
)

// maxSuccession is how many pages may replace each other in turn.
const maxSuccession = 20

// succeed puts the successor of each page of a list before it, as far as the list is shown,
// and notes it in the page. A successor that the filters do not let through is only noted,
// as are those of a list by name.
func (s *Search) succeed(ctx context.Context, list []candidate, shown int) ([]candidate, error) {
	if s.req.only != nil {
		return list, nil // asks for similar pages, not for an answer
	}
	next, err := s.successors(ctx, list[:min(shown, len(list))])
	if err != nil || len(next) == 0 {
		return list, err
	}
	for i := 0; i < min(shown, len(list)); i++ {
		old := list[i]
		to, ok := next[old.page.Row]
		if !ok {
			continue
		}
		list[i].successor = to.Ref()
		at := slices.IndexFunc(list, func(c candidate) bool { return c.page.Row == to.Row })
		switch {
		case s.byName || at >= 0 && at < i:
		case at >= 0:
			c := list[at]
			c.score = old.score
			list = slices.Insert(slices.Delete(list, at, at+1), i, c)
			i++
		case s.mayFollow(to):
			list = slices.Insert(list, i, candidate{page: to, score: old.score, follows: true})
			i++
		}
	}
	return list, s.match(ctx, list)
}

// mayFollow reports whether a page that the query did not find may be in its answer.
func (s *Search) mayFollow(p kb.Page) bool {
	in := slices.IndexFunc(s.spaces, func(sp kb.Space) bool { return sp.ID == p.SpaceID })
	if in < 0 || slices.Contains(s.hidden[s.spaces[in].Row], p.Status) {
		return false
	}
	if s.allowed == nil { // of a list its filters are not at hand
		return len(s.query.Filters) == 0
	}
	return s.allowed.Contains(p.Row)
}

// successors returns the last successor of each page of a list that has one.
func (s *Search) successors(ctx context.Context, list []candidate) (map[int64]kb.Page, error) {
	pages := make([]kb.Page, len(list))
	for i, c := range list {
		pages[i] = c.page
	}
	return Successors(ctx, s.engine, s.tx, s.spaces, pages)
}

// Successors returns, by row, the last successor of each of some pages of spaces that another
// page replaces today.
func Successors(ctx context.Context, sess *memory.Session, tx store.Tx, spaces []kb.Space, pages []kb.Page) (map[int64]kb.Page, error) {
	names := map[string]bool{}
	for _, sp := range spaces {
		if pol, _, err := sess.Spaces.Policy(ctx, sp, nil); err == nil {
			maps.Copy(names, pol.Lifecycle.Relations(policy.MakesStale))
		}
	}
	for _, name := range succeeds {
		names[name] = true
	}
	known := map[int64]kb.Page{}
	rows := make([]int64, len(pages))
	for i, p := range pages {
		rows[i], known[p.Row] = p.Row, p
	}
	today := sess.Now().Format(time.DateOnly)
	next := map[int64]int64{}
	for range maxSuccession {
		more, err := directSuccessors(ctx, tx, rows, names, today, known)
		if err != nil || len(more) == 0 {
			return lastOf(pages, next, known), err
		}
		rows = rows[:0]
		for from, to := range more {
			if next[from] = to; next[to] == 0 {
				rows = append(rows, to)
			}
		}
		slices.Sort(rows)
		rows = slices.Compact(rows)
	}
	return lastOf(pages, next, known), nil
}

// lastOf follows successors to the last one. Pages that replace each other have none.
func lastOf(pages []kb.Page, next map[int64]int64, known map[int64]kb.Page) map[int64]kb.Page {
	out := map[int64]kb.Page{}
	for _, p := range pages {
		at := p.Row
		for range maxSuccession {
			if next[at] == 0 || next[at] == p.Row {
				break
			}
			at = next[at]
		}
		if at != p.Row && next[at] == 0 {
			out[p.Row] = known[at]
		}
	}
	return out
}

// directSuccessors returns the page that replaces each of rows: of several, that which
// changed last. It adds them to known.
func directSuccessors(ctx context.Context, tx store.Tx, rows []int64, names map[string]bool, today string, known map[int64]kb.Page) (map[int64]int64, error) {
	all := maps.Clone(names)
	for _, name := range succeeded {
		all[name] = true
	}
	links, err := tx.Claims().Typed(ctx, store.Claimants{Pages: rows, Inbound: true}, all)
	if err != nil || len(links) == 0 {
		return nil, err
	}
	pairs, ends := [][2]int64{}, []int64{}
	for _, l := range links {
		from, to := l.To, l.From
		if !names[kb.NameKey(l.Type)] {
			from, to = l.From, l.To
		}
		if from == 0 || to == 0 || from == to || !l.Interval().Holds(today) || !slices.Contains(rows, from) {
			continue
		}
		pairs, ends = append(pairs, [2]int64{from, to}), append(ends, to)
	}
	pages, err := store.PagesByRow(ctx, tx, ends)
	if err != nil {
		return nil, err
	}
	maps.Copy(known, pages)
	out := map[int64]int64{}
	for _, pair := range pairs {
		old, to := known[pair[0]], known[pair[1]]
		if to.Row == 0 {
			continue
		}
		if holds, err := reviewed(ctx, tx, old); err != nil {
			return nil, err
		} else if holds {
			continue
		}
		if had := known[out[old.Row]]; had.Row == 0 || cmp.Or(to.Updated.Compare(had.Updated), cmp.Compare(had.Row, to.Row)) > 0 {
			out[old.Row] = to.Row
		}
	}
	return out, nil
}

// reviewed reports whether somebody said of a page that it holds although another one
// replaces it.
func reviewed(ctx context.Context, tx store.Tx, p kb.Page) (bool, error) {
	if !kb.Holds(p.Status) {
		return false, nil
	}
	properties, err := tx.Pages().Properties(ctx, p.Row)
	return slices.ContainsFunc(properties, func(x kb.Property) bool { return x.Key == doc.PropertyKey("reviewed") }), err
}

// match gives the successors that the query did not find by themselves what it finds in
// them, so that their hits can show it. The others count as found, too.
func (s *Search) match(ctx context.Context, list []candidate) error {
	ids := lexical.NewIDs()
	for _, c := range list {
		if c.follows {
			ids.Add(c.page.Row)
		}
	}
	if ids.Len() == 0 {
		return nil
	}
	res, err := s.engine.Index.Text().Search(ctx, s.tx.Lexical(), s.found.Root, lexical.Options{Limit: ids.Len(), Allowed: ids, Filter: s.filter})
	if err != nil {
		return err
	}
	for i := range list {
		for j := range res.Hits {
			if list[i].follows && res.Hits[j].ID == list[i].page.Row {
				list[i].words = &res.Hits[j]
			}
		}
		if list[i].follows && list[i].words == nil && !list[i].counted {
			list[i].counted = true
			s.out.Total++
		}
	}
	return nil
}
