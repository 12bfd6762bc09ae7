package relational

import (
	"context"
	"strings"

	"github.com/cairn-kb/cairn/internal/store"
)

func (p pages) Stats(ctx context.Context, spaces []int64) (store.Stats, error) {
	var st store.Stats
	f := store.Filter{Spaces: spaces}
	from, args, err := p.filtered(f)
	if err != nil {
		return st, err
	}
	docs := strings.ReplaceAll(strings.Replace(from, "pages p", "documents d", 1), "p.space", "d.space")
	for _, q := range []struct {
		sql string
		f   func(Row)
	}{
		{"SELECT count(*), CAST(coalesce(sum(d.size), 0) AS BIGINT)" + docs, func(r Row) { st.Documents, st.Bytes = r.Num(0), r.Int(1) }},
		{"SELECT count(*)" + from, func(r Row) { st.Pages = r.Num(0) }},
		{"SELECT count(*)" + factsIn("observations", spaces, from), func(r Row) { st.Observations = r.Num(0) }},
		{"SELECT count(*)" + factsIn("entries", spaces, from), func(r Row) { st.Entries = r.Num(0) }},
		{"SELECT count(*)" + factsIn("assertions", spaces, from), func(r Row) { st.Assertions = r.Num(0) }},
	} {
		if _, err := p.t.one(ctx, q.sql, args, q.f); err != nil {
			return st, err
		}
	}
	if st.LinkCounts, err = (links{p.t}).Count(ctx, spaces); err != nil {
		return st, err
	}
	const vectors = " FROM models m CROSS JOIN embedded e ON e.model = m.row CROSS JOIN pages p ON p.row = e.page"
	err = p.t.query(ctx, "SELECT m.name, CAST(sum(e.chunks) AS BIGINT)"+strings.Replace(from, " FROM pages p", vectors, 1)+" GROUP BY m.row", args, func(r Row) error {
		st.Chunks = append(st.Chunks, store.Count{Value: r.Text(0), N: r.Num(1)})
		return nil
	})
	if err != nil {
		return st, err
	}
	tags, err := p.Tags(ctx, f)
	if err != nil {
		return st, err
	}
	st.Tags = len(tags)
	if st.Types, err = p.types(ctx, st.Pages, from, args); err != nil {
		return st, err
	}
	st.Statuses, err = p.Statuses(ctx, spaces)
	return st, err
}

func (l links) Count(ctx context.Context, spaces []int64) (n store.LinkCounts, err error) {
	from, args, err := pages(l).filtered(store.Filter{Spaces: spaces})
	if err != nil {
		return n, err
	}
	// With exactly these conditions SQLite reads only their indexes, and looks up the pages
	// from them.
	only := func(cond string) string {
		if len(spaces) == 0 {
			return " FROM links x WHERE " + cond
		}
		return strings.Replace(from, "pages p WHERE ", "links x CROSS JOIN pages p ON p.row = x.row >> 24 WHERE "+cond+" AND ", 1)
	}
	for _, q := range []struct {
		from string
		n    *int
	}{{factsIn("links", spaces, from), &n.Links}, {only(broken(l.t.d)), &n.Unresolved}, {only("x.candidates > 1"), &n.Ambiguous}} {
		if _, err := l.t.one(ctx, "SELECT count(*)"+q.from, args, func(r Row) { *q.n = r.Num(0) }); err != nil {
			return n, err
		}
	}
	return n, nil
}

func (p pages) Statuses(ctx context.Context, spaces []int64) ([]store.Count, error) {
	out, err := statusCounts(ctx, p.t, spaces)
	sortCounts(out)
	return out, err
}

// types counts the types of pages, most frequent first. Spellings that differ in case are
// counted together. Only pages with a type are read: they have an index.
func (p pages) types(ctx context.Context, pages int, from string, args []any) ([]store.Count, error) {
	var out []store.Count
	err := p.t.query(ctx, "SELECT min(p.type), count(*)"+from+" AND p.type_fold <> '' GROUP BY p.type_fold", args, func(r Row) error {
		out = append(out, store.Count{Value: r.Text(0), N: r.Num(1)})
		pages -= r.Num(1)
		return nil
	})
	if pages > 0 {
		out = append(out, store.Count{N: pages})
	}
	sortCounts(out)
	return out, err
}
