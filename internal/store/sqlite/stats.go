package sqlite

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
	// factsIn joins a table of facts to the pages, or reads it alone when
	// every page counts.
	factsIn := func(table string) string {
		if len(spaces) == 0 {
			return " FROM " + table + " x"
		}
		return strings.Replace(from, "pages p", table+" x CROSS JOIN pages p ON p.row = x.row >> 24", 1)
	}
	for _, q := range []struct {
		sql string
		f   func(row)
	}{
		{"SELECT count(*), coalesce(sum(d.size), 0)" + docs, func(r row) { st.Documents, st.Bytes = r.num(0), r.int(1) }},
		{"SELECT count(*)" + from, func(r row) { st.Pages = r.num(0) }},
		{"SELECT count(*), coalesce(sum(x.target IS NULL AND x.candidates <= 1 AND x.kind NOT IN ('org-cite', 'mention') AND x.key NOT GLOB " + dayKey + "), 0), coalesce(sum(x.candidates > 1), 0)" + factsIn("links"),
			func(r row) { st.Links, st.Unresolved, st.Ambiguous = r.num(0), r.num(1), r.num(2) }},
		{"SELECT count(*)" + factsIn("observations"), func(r row) { st.Observations = r.num(0) }},
		{"SELECT count(*)" + factsIn("entries"), func(r row) { st.Entries = r.num(0) }},
	} {
		if _, err := p.t.one(ctx, q.sql, args, q.f); err != nil {
			return st, err
		}
	}
	tags, err := p.Tags(ctx, f)
	if err != nil {
		return st, err
	}
	st.Tags = len(tags)
	if st.Types, err = p.count(ctx, "p.type_fold", "p.type", from, args); err != nil {
		return st, err
	}
	st.Statuses, err = p.count(ctx, "p.status", "p.status", from, args)
	return st, err
}

func (p pages) Statuses(ctx context.Context, spaces []int64) ([]store.Count, error) {
	from, args, err := p.filtered(store.Filter{Spaces: spaces})
	if err != nil {
		return nil, err
	}
	return p.count(ctx, "p.status", "p.status", from, args)
}

// count counts the values of a column, most frequent first, spellings that
// fold alike together.
func (p pages) count(ctx context.Context, key, shown, from string, args []any) ([]store.Count, error) {
	var out []store.Count
	err := p.t.query(ctx, "SELECT min("+shown+"), count(*)"+from+" GROUP BY "+key, args, func(r row) error {
		out = append(out, store.Count{Value: r.text(0), N: r.num(1)})
		return nil
	})
	sortCounts(out)
	return out, err
}
