package relational

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/store"
)

type links struct{ t *Tx }

const linkColumns = `l.row, l.target, l.candidates, l.kind, l.type, l.name, l.key, l.heading, l.text,
l.valid_from, l.valid_until, l.context, l.line`

func scanLink(r Row) store.LinkRow {
	return store.LinkRow{Row: r.Int(0), Link: kb.Link{
		From: pageOf(r.Int(0)), To: r.Int(1), Candidates: r.Num(2), Kind: r.Text(3), Type: r.Text(4), Name: r.Text(5),
		Key: r.Text(6), Heading: r.Text(7), Text: r.Text(8), ValidFrom: r.Text(9), ValidUntil: r.Text(10),
		Context: r.Text(11), Line: r.Num(12),
	}}
}

func (l links) Put(ctx context.Context, docs []*store.Document) error {
	in := newInserts(l.t)
	for _, d := range docs {
		for i := range d.Pages {
			if err := in.addLinks(ctx, d.Pages[i].Page.Row, d.Pages[i].Links); err != nil {
				return err
			}
		}
	}
	return in.flush(ctx)
}

// rows runs a query over linkColumns.
func (l links) rows(ctx context.Context, tail string, args ...any) ([]store.LinkRow, error) {
	var out []store.LinkRow
	err := l.t.query(ctx, "SELECT "+linkColumns+" FROM links l "+tail, args, func(r Row) error {
		out = append(out, scanLink(r))
		return nil
	})
	return out, err
}

// plain returns the links of a page as given in its document.
func (l links) plain(ctx context.Context, page int64) ([]kb.Link, error) {
	rows, err := l.rows(ctx, "WHERE l.row BETWEEN ? AND ? ORDER BY l.row", firstFact(page), lastFact(page))
	if len(rows) == 0 {
		return nil, err
	}
	out := make([]kb.Link, len(rows))
	for i, r := range rows {
		out[i] = r.Link
	}
	return out, err
}

func (l links) From(ctx context.Context, page int64) ([]store.LinkEnd, error) {
	rows, err := l.rows(ctx, "WHERE l.row BETWEEN ? AND ? ORDER BY l.row", firstFact(page), lastFact(page))
	if err != nil {
		return nil, err
	}
	return l.ends(ctx, rows, func(r store.LinkRow) int64 { return r.To })
}

func (l links) To(ctx context.Context, page int64) ([]store.LinkEnd, error) {
	rows, err := l.rows(ctx, "WHERE l.target = ? ORDER BY l.row", page)
	if err != nil {
		return nil, err
	}
	ends, err := l.ends(ctx, rows, func(r store.LinkRow) int64 { return r.From })
	slices.SortStableFunc(ends, func(a, b store.LinkEnd) int {
		return cmp.Or(cmp.Compare(a.Page.Slug, b.Page.Slug), cmp.Compare(a.Row, b.Row))
	})
	return ends, err
}

func (l links) SpacesTo(ctx context.Context, page int64) (out []int64, err error) {
	const q = "SELECT DISTINCT p.space FROM links l CROSS JOIN pages p ON p.row = l.row >> 24 WHERE l.target = ?"
	err = l.t.query(ctx, q, []any{page}, func(r Row) error {
		out = append(out, r.Int(0))
		return nil
	})
	return out, err
}

// edges runs a query for links, with few columns.
func (l links) edges(ctx context.Context, out []kb.Link, tail string, args ...any) ([]kb.Link, error) {
	// A column is the most expensive part of a row, and most links have no dates and no type
	// of their own.
	const dates = "CASE WHEN l.valid_from <> '' OR l.valid_until <> '' THEN l.valid_from || '..' || l.valid_until END"
	err := l.t.query(ctx, "SELECT l.row, l.target, nullif(l.type, 'links_to'), "+dates+" FROM links l "+tail, args, func(r Row) error {
		e := kb.Link{From: pageOf(r.Int(0)), To: r.Int(1), Type: cmp.Or(r.Text(2), kb.PlainLink)}
		e.ValidFrom, e.ValidUntil, _ = strings.Cut(r.Text(3), "..")
		out = append(out, e)
		return nil
	})
	return out, err
}

func (l links) EdgesFrom(ctx context.Context, pages []int64) (out []kb.Link, err error) {
	pages = slices.Sorted(slices.Values(pages))
	for n := 0; len(pages) > 0; pages = pages[n:] { // those in a row are read at once
		for n = 1; n < len(pages) && pages[n] == pages[n-1]+1; n++ {
		}
		if out, err = l.edges(ctx, out, "WHERE l.row BETWEEN ? AND ? AND l.target IS NOT NULL ORDER BY l.row", firstFact(pages[0]), lastFact(pages[n-1])); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func (l links) EdgesTo(ctx context.Context, pages []int64) (out []kb.Link, err error) {
	err = chunks(pages, nil, func(list string, args []any) error {
		out, err = l.edges(ctx, out, "WHERE l.target IN ("+list+") ORDER BY l.row", args...)
		return err
	})
	return out, err
}

func (l links) Joined(ctx context.Context) (out []int64, err error) {
	const joins = " FROM links l WHERE l.target IS NOT NULL AND l.row >> 24 <> l.target"
	found := func(r Row) error { out = append(out, r.Int(0)); return nil }
	if err = l.t.query(ctx, "SELECT DISTINCT l.target"+joins, nil, found); err == nil {
		err = l.t.query(ctx, "SELECT DISTINCT l.row >> 24"+joins, nil, found)
	}
	return out, err
}

func (l links) Dated(ctx context.Context, space int64) ([]kb.Link, error) {
	rows, err := l.rows(ctx, `CROSS JOIN pages p ON p.row = l.row >> 24 WHERE p.space = ? AND l.type <> 'links_to'
AND l.row >> 24 IN (SELECT row >> 24 FROM links WHERE valid_from <> '' OR valid_until <> '') ORDER BY l.row`, space)
	out := make([]kb.Link, len(rows))
	for i, r := range rows {
		out[i] = r.Link
	}
	return out, err
}

// ends adds the page at the end that other selects.
func (l links) ends(ctx context.Context, rows []store.LinkRow, other func(store.LinkRow) int64) ([]store.LinkEnd, error) {
	var want []int64
	for _, r := range rows {
		if page := other(r); page != 0 {
			want = append(want, page)
		}
	}
	slices.Sort(want)
	found, err := (pages{l.t}).Get(ctx, slices.Compact(want))
	if err != nil {
		return nil, err
	}
	byRow := make(map[int64]kb.Page, len(found))
	for _, p := range found {
		byRow[p.Row] = p
	}
	out := make([]store.LinkEnd, len(rows))
	for i, r := range rows {
		out[i] = store.LinkEnd{LinkRow: r, Page: byRow[other(r)]}
	}
	return out, nil
}

// broken returns the condition for broken links, except those of kinds that may be broken
// (kb.Link.Unwritten). The index links_broken has these and links to days.
func broken(d *Dialect) string {
	return "x.target IS NULL AND x.candidates <= 1 AND x.kind NOT IN ('org-cite', 'mention') AND NOT " + d.Shaped("x.key", kb.DayKey)
}

const candidates = `SELECT l.row, l.kind, l.name, l.key, l.target, l.candidates, p.space, d.path FROM links l
CROSS JOIN pages p ON p.row = l.row >> 24 CROSS JOIN documents d ON d.row = p.document WHERE `

// mayBeCrossSpace is the condition for links that are not paths, but look like one.
const mayBeCrossSpace = "((l.name LIKE '%/%' OR l.name LIKE '%:%') AND l.kind NOT IN ('markdown', 'org-file', 'org-cite'))"

// candidates runs a query for links to resolve.
func (l links) candidates(ctx context.Context, out []store.Candidate, cond string, args ...any) ([]store.Candidate, error) {
	err := l.t.query(ctx, candidates+cond, args, func(r Row) error {
		out = append(out, store.Candidate{
			Row: r.Int(0), Kind: r.Text(1), Name: r.Text(2), Key: r.Text(3), From: pageOf(r.Int(0)), To: r.Int(4), Candidates: r.Num(5),
			Space: r.Int(6), FromPath: r.Text(7),
		})
		return nil
	})
	return out, err
}

func (l links) ByKeys(ctx context.Context, space int64, keys []string) (out []store.Candidate, err error) {
	err = chunks(keys, []any{space}, func(list string, args []any) error {
		out, err = l.candidates(ctx, out, "(p.space = ? OR "+mayBeCrossSpace+") AND l.key IN ("+list+")", args...)
		return err
	})
	slices.SortFunc(out, func(a, b store.Candidate) int { return cmp.Compare(a.Row, b.Row) })
	return out, err
}

func (l links) CrossSpace(ctx context.Context) ([]store.Candidate, error) {
	return l.candidates(ctx, nil, mayBeCrossSpace+` AND NOT EXISTS (SELECT 1 FROM pages t WHERE t.row = l.target AND t.space = p.space) ORDER BY l.row`)
}

const targetColumns = "p.row, p.id, d.path, p.node, p.title, p.aliases, p.names"

func scanTarget(r Row) (store.Target, error) {
	t := store.Target{Page: r.Int(0), ID: kb.ID(r.Text(1)), Path: r.Text(2), Node: r.Text(3), Title: r.Text(4)}
	var err error
	if t.Aliases, err = r.List(5); err != nil {
		return t, err
	}
	t.Names, err = r.List(6)
	return t, err
}

func (l links) TargetsByKeys(ctx context.Context, space int64, keys []string) ([]store.Target, error) {
	var out []store.Target
	seen := make(map[int64]bool)
	err := chunks(keys, nil, func(list string, args []any) error {
		// Each page once: a page with thousands of names would be read for each name.
		return l.t.query(ctx, "SELECT "+targetColumns+" FROM (SELECT DISTINCT page FROM names WHERE key IN ("+list+`)) n
CROSS JOIN pages p ON p.row = n.page CROSS JOIN documents d ON d.row = p.document WHERE p.space = ?`, append(args, space), func(r Row) error {
			if seen[r.Int(0)] {
				return nil
			}
			seen[r.Int(0)] = true
			t, err := scanTarget(r)
			out = append(out, t)
			return err
		})
	})
	slices.SortFunc(out, func(a, b store.Target) int { return cmp.Compare(a.Page, b.Page) })
	return out, err
}

const resolve = "UPDATE OR FAIL links SET target = ?, candidates = ? WHERE row = ?"

func (l links) Resolve(ctx context.Context, res []store.Resolution) error {
	for _, r := range res {
		if err := l.t.exec(ctx, resolve, rowOrNull(r.To), r.Candidates, r.Row); err != nil {
			return err
		}
	}
	return nil
}

// manyLinks is the number of links that most pages do not reach. Pages with more links are
// cheap to look up and to sort, and are nearly always sufficient.
const manyLinks = 4

func (l links) MostLinked(ctx context.Context, spaces []int64, limit int) ([]store.Linked, error) {
	cond, args, err := filterSQL(l.t.d, store.Filter{Spaces: spaces})
	if err != nil || limit <= 0 {
		return nil, err
	}
	few, err := l.areFew(ctx, spaces)
	if err != nil {
		return nil, err
	}
	count := func(number, where string, least, limit int) (out []store.Linked, err error) {
		of, having := "l.target IN (SELECT p.row FROM pages p WHERE "+cond+")", ""
		all := slices.Concat(args, []any{least, limit})
		if !few { // one pass over the index of targets is cheaper than a lookup for each page
			of, having = "l.target IS NOT NULL", " AND EXISTS (SELECT 1 FROM pages p WHERE p.row = l.target AND "+cond+")"
			all = slices.Concat([]any{least}, args, []any{limit})
		}
		query := "SELECT l.target, " + number + " AS n FROM links l WHERE " + of + where + " GROUP BY l.target HAVING " + number + " > ?" + having +
			" ORDER BY n DESC, l.target LIMIT ?"
		err = l.t.query(ctx, query, all, func(r Row) error {
			out = append(out, store.Linked{Page: r.Int(0), N: r.Num(1)})
			return nil
		})
		return out, err
	}
	// The number of links to a page is cheaper to count than the number of pages with such
	// links, and an upper bound of it. So the most linked pages are among those with the
	// most links, unless the bound is too close.
	for _, least := range []int{manyLinks, 0} {
		bounds, err := count("COUNT(*)", "", least, 4*limit)
		if err != nil {
			return nil, err
		}
		out, err := l.within(ctx, bounds, least, limit)
		if out != nil || err != nil {
			return out, err
		}
		if len(bounds) == 4*limit {
			break
		}
		if least == 0 {
			return nil, nil
		}
	}
	return count("COUNT(DISTINCT l.row >> 24)", " AND l.row >> 24 <> l.target AND "+notAutomatic, 0, limit)
}

// fewPages is the share of the memory's pages, as 1/fewPages, below which the pages of
// spaces are read one by one.
const fewPages = 4

// areFew reports whether spaces have a small share of the pages.
func (l links) areFew(ctx context.Context, spaces []int64) (few bool, err error) {
	if spaces == nil {
		return false, nil
	}
	var args []any
	list := inList(l.t.d, &args, spaces)
	err = l.t.query(ctx, "SELECT CAST(coalesce(sum(pages), 0) AS bigint), CAST(coalesce(sum(CASE WHEN space IN ("+list+") THEN pages ELSE 0 END), 0) AS bigint) FROM page_counts", args, func(r Row) error {
		few = fewPages*r.Int(1) < r.Int(0)
		return nil
	})
	return few, err
}

// within returns the limit pages with links from the most other pages. bounds are the pages
// with the most links, highest first; the number of links is an upper bound. Pages with at
// most least links are not among bounds, nor are those after the first 4*limit. It returns
// nil if bounds do not determine the result.
func (l links) within(ctx context.Context, bounds []store.Linked, least, limit int) ([]store.Linked, error) {
	var out []store.Linked
	for done := 0; done < len(bounds); {
		next := min(done+limit, len(bounds))
		rows := make([]int64, 0, limit)
		for _, b := range bounds[done:next] {
			rows = append(rows, b.Page)
		}
		from, err := lives(l).Linked(ctx, rows)
		if err != nil {
			return nil, err
		}
		for page, n := range from {
			out = append(out, store.Linked{Page: page, N: n})
		}
		slices.SortFunc(out, func(a, b store.Linked) int { return cmp.Or(cmp.Compare(b.N, a.N), cmp.Compare(a.Page, b.Page)) })
		out = out[:min(limit, len(out))]
		done = next
		rest := least // bound for the pages that were not counted
		switch {
		case done < len(bounds):
			rest = bounds[done].N
		case len(bounds) == 4*limit:
			rest = bounds[done-1].N
		}
		if rest == 0 || len(out) == limit && out[limit-1].N > rest {
			return out, nil
		}
	}
	return nil, nil
}

func (l links) Anchored(ctx context.Context, spaces []int64) ([]store.LinkRow, error) {
	cond, args, err := filterSQL(l.t.d, store.Filter{Spaces: spaces})
	if err != nil {
		return nil, err
	}
	var out []store.LinkRow // a column is the most expensive part of a row
	err = l.t.query(ctx, "SELECT l.row, l.target, l.heading FROM links l CROSS JOIN pages p ON p.row = l.row >> 24 WHERE l.target IS NOT NULL AND l.heading <> '' AND "+cond+" ORDER BY l.row", args, func(r Row) error {
		out = append(out, store.LinkRow{Row: r.Int(0), Link: kb.Link{From: pageOf(r.Int(0)), To: r.Int(1), Heading: r.Text(2)}})
		return nil
	})
	return out, err
}

func (l links) Get(ctx context.Context, rows []int64) ([]store.LinkEnd, error) {
	found := make(map[int64]store.LinkRow, len(rows))
	err := chunks(rows, nil, func(list string, args []any) error {
		part, err := l.rows(ctx, "WHERE l.row IN ("+list+")", args...)
		for _, r := range part {
			found[r.Row] = r
		}
		return err
	})
	out := make([]store.LinkEnd, len(rows))
	for i, row := range rows {
		out[i].LinkRow = found[row]
	}
	return out, err
}

func (l links) Unresolved(ctx context.Context, spaces []int64, limit, offset int) ([]store.LinkEnd, int, error) {
	cond, args, err := filterSQL(l.t.d, store.Filter{Spaces: spaces})
	if err != nil {
		return nil, 0, err
	}
	type open struct {
		row int64
		key string
	}
	var all []open
	wanted := make(map[string]int)
	err = l.t.query(ctx, "SELECT l.row, l.key FROM links l CROSS JOIN pages p ON p.row = l.row >> 24 WHERE l.target IS NULL AND NOT (l.candidates = 0 AND (l.kind IN ('org-cite', 'mention') OR "+l.t.d.Shaped("l.key", kb.DayKey)+")) AND "+cond,
		args, func(r Row) error {
			all = append(all, open{r.Int(0), r.Text(1)})
			wanted[r.Text(1)]++
			return nil
		})
	if err != nil {
		return nil, 0, err
	}
	slices.SortFunc(all, func(a, b open) int {
		return cmp.Or(cmp.Compare(wanted[b.key], wanted[a.key]), cmp.Compare(a.key, b.key), cmp.Compare(a.row, b.row))
	})
	page := window(all, limit, offset)
	rows := make([]int64, len(page))
	for i, o := range page {
		rows[i] = o.row
	}
	out, err := l.Get(ctx, rows)
	return out, len(all), err
}

// window returns the part of a list that LIMIT and OFFSET would select.
func window[T any](list []T, limit, offset int) []T {
	list = list[min(max(offset, 0), len(list)):]
	if limit > 0 {
		list = list[:min(limit, len(list))]
	}
	return list
}
