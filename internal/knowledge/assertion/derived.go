package assertion

import (
	"context"
	"maps"
	"slices"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/doc/link"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory/index"
	"github.com/cairn-kb/cairn/internal/store"
)

// derived returns the assertions derived from relations and from the frontmatter
// keys listed in the policy of a space. They are read from pages, and stored
// nowhere else.
func (l *lister) derived(ctx context.Context, f store.AssertionFilter, ends [2]kb.Link) ([]stated, error) {
	if f.ObjectPage = ends[1].To; ends[0].To != 0 {
		if len(f.Pages) > 0 && !slices.Contains(f.Pages, ends[0].To) {
			return nil, nil
		}
		f.Pages = []int64{ends[0].To}
	}
	found, err := l.tx.Assertions().Relations(ctx, f)
	if err != nil {
		return nil, err
	}
	type edge struct {
		from, to          int64
		kind, name, since string
	}
	var out []stated
	nth := map[edge]int{}
	for _, r := range found {
		e := edge{from: r.From, to: r.To, kind: r.Type, since: r.ValidFrom}
		if r.To == 0 {
			e.name = r.Name
		}
		out = append(out, stated{derived: api.FromRelation, ends: [2]kb.Link{{To: r.From}, r}, Assertion: kb.Assertion{
			Page: r.From, Predicate: r.Type, Object: r.Name, ValidFrom: r.ValidFrom, ValidUntil: r.ValidUntil, Nth: nth[e], Confidence: 1,
			Source: r.Context, Lines: [2]int{r.Line, r.Line},
		}})
		nth[e]++
	}
	more, err := l.properties(ctx, f)
	return append(out, more...), err
}

// properties returns the assertions derived from frontmatter keys.
func (l *lister) properties(ctx context.Context, f store.AssertionFilter) (out []stated, err error) {
	spaces, err := l.tx.Spaces().All(ctx)
	if err != nil {
		return nil, err
	}
	for _, s := range spaces {
		if len(f.Spaces) > 0 && !slices.Contains(f.Spaces, s.Row) {
			continue
		}
		pol, _, err := l.Session.Spaces.Policy(ctx, s, nil)
		if err != nil {
			return nil, err
		}
		predicates := map[string]string{}
		for key, predicate := range pol.Predicates.Keys {
			predicates[doc.PropertyKey(key)] = predicate
		}
		values, err := l.tx.Claims().Properties(ctx, store.Claimants{Space: s.Row, Pages: f.Pages}, slices.Sorted(maps.Keys(predicates)))
		if err != nil {
			return nil, err
		}
		of := make([]int64, len(values))
		for i, v := range values {
			of[i] = v.Page
		}
		pages, err := store.PagesByRow(ctx, l.tx, of)
		if err != nil {
			return nil, err
		}
		values = slices.DeleteFunc(values, func(v kb.Property) bool { return pages[v.Page].SpaceID != s.ID || link.Named(v.Text).Name == "" })
		links, err := index.LeadValues(ctx, l.tx, s.Row, pages, values)
		if err != nil {
			return nil, err
		}
		for i, v := range values {
			out = append(out, stated{derived: api.FromProperty, ends: [2]kb.Link{{To: v.Page}, links[i]}, Assertion: kb.Assertion{
				Page: v.Page, Predicate: predicates[v.Key], Object: v.Text, Confidence: 1,
			}})
		}
	}
	return out, nil
}
