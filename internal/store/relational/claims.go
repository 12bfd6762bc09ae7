package relational

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/store"
)

// claims implements store.Claims.
type claims struct{ t *Tx }

var _ store.Claims = claims{}

// position is the position of a fact in its page.
func position(fact int64) int { return int(fact & (maxFacts - 1)) }

// each runs a query over the facts of the pages of in: once for a whole space, else once for
// each page. column is the row of the fact; after contains further conditions and the order.
func (c claims) each(ctx context.Context, in store.Claimants, column, before, after string, args []any, f func(Row) error) error {
	if in.Pages == nil {
		spaces := 0
		if err := c.t.query(ctx, "SELECT row FROM spaces LIMIT 2", nil, func(Row) error { spaces++; return nil }); err != nil {
			return err
		}
		if spaces == 1 { // no fact belongs to another space
			return c.t.query(ctx, before+" WHERE TRUE "+after, args, f)
		}
		all := slices.Concat([]any{in.Space}, args)
		return c.t.query(ctx, before+" CROSS JOIN pages p ON p.row = "+column+" >> 24 WHERE p.space = ? "+after, all, f)
	}
	var all [][]any
	for _, page := range slices.Compact(slices.Sorted(slices.Values(in.Pages))) {
		all = append(all, slices.Concat([]any{firstFact(page), lastFact(page)}, args))
	}
	return c.t.each(ctx, before+" WHERE "+column+" BETWEEN ? AND ? "+after, all, f)
}

// of returns lists of arguments, each of which starts with one of the pages.
func of(pages []int64, args []any) [][]any {
	var all [][]any
	for _, page := range pages {
		all = append(all, slices.Concat([]any{page}, args))
	}
	return all
}

const claimLinkColumns = "l.row, l.target, l.candidates, l.type, l.name, l.valid_from, l.valid_until, l.context, l.line"

func claimLink(r Row) kb.Link {
	return kb.Link{
		From: pageOf(r.Int(0)), To: r.Int(1), Candidates: r.Num(2), Type: r.Text(3), Name: r.Text(4),
		ValidFrom: r.Text(5), ValidUntil: r.Text(6), Context: r.Text(7), Line: r.Num(8),
	}
}

// Relations implements store.Claims.
func (c claims) Relations(ctx context.Context, in store.Claimants, keys []string) (out []kb.Link, err error) {
	found := func(r Row) error { out = append(out, claimLink(r)); return nil }
	if in.Pages != nil {
		return out, c.each(ctx, in, "l.row", "SELECT "+claimLinkColumns+" FROM links l", "AND l.type <> 'links_to' ORDER BY l.row", nil, found)
	}
	several, args, err := c.several(ctx, in, keys)
	if err != nil {
		return nil, err
	}
	query := "SELECT " + claimLinkColumns + " FROM (" + several + `) s CROSS JOIN pages p ON p.row = s.page
CROSS JOIN links l ON l.row BETWEEN s.page << 24 AND s.page << 24 | 16777215 WHERE p.space = ? AND l.type <> 'links_to'`
	err = c.t.query(ctx, query, append(args, in.Space), found)
	// The links of a page come in order. So do the pages, but without ORDER BY, for which
	// SQLite would copy the whole result.
	byPage := func(a, b kb.Link) int { return cmp.Compare(a.From, b.From) }
	if !slices.IsSortedFunc(out, byPage) {
		slices.SortStableFunc(out, byPage)
	}
	return out, err
}

// several builds the query for the pages of a space with a possible contradiction (two
// relations of a type that may both be current on the day, or have the same target; an
// ending; or a property with one of keys) and for the pages in Also. It uses the index
// links_typed.
func (c claims) several(ctx context.Context, in store.Claimants, keys []string) (sql string, args []any, err error) {
	all, err := c.types(ctx, nil, nil)
	if err != nil {
		return "", nil, err
	}
	spellings := map[string][]string{} // by kb.NameKey
	for _, t := range all {
		key := kb.NameKey(t)
		spellings[key] = append(spellings[key], t)
	}
	// The type in a uniform spelling. Most that have several differ in the case of ASCII letters, and
	// a comparison of each row with each of them takes several times as long.
	typ, others, also := "type", "", []any{}
	for _, t := range all {
		first := spellings[kb.NameKey(t)][0]
		if first != t {
			typ = "lower(type)"
		}
		if lowerASCII(first) != lowerASCII(t) {
			others += " WHEN ? THEN lower(?)"
			also = append(also, t, first)
		}
	}
	if others != "" {
		typ = "CASE type" + others + " ELSE lower(type) END"
	}
	var many []string
	for _, t := range all {
		if in.Many[kb.NameKey(t)] {
			many = append(many, t)
		}
	}
	pages := func(cond, group string) string {
		return "SELECT row >> 24 AS page FROM links WHERE type <> 'links_to' AND " + cond + " GROUP BY page, " + group + " HAVING count(*) > 1"
	}
	holds := "(valid_until = '' OR valid_until >= ?)"
	args = []any{in.Today[:min(len(in.Today), len("2006"))]}
	if len(many) > 0 {
		holds += " AND type NOT IN (" + inList(c.t.d, &args, many) + ")"
	}
	args = append(args, also...)
	sql = pages(holds, typ) + " UNION " + pages("TRUE", "target, "+typ) + " UNION SELECT row >> 24 FROM endings" +
		" UNION SELECT l.target FROM endings e CROSS JOIN links l ON l.row = e.subject WHERE e.subject <> 0 AND l.target IS NOT NULL"
	args = slices.Concat(args, also)
	if len(keys) > 0 {
		sql += " UNION SELECT row >> 24 FROM properties WHERE key IN (" + inList(c.t.d, &args, keys) + ")"
	}
	if len(in.Also) > 0 {
		sql, args = sql+" UNION SELECT value FROM "+c.t.d.Numbers("x"), append(args, in.Also)
	}
	return sql, args, nil
}

// Typed implements store.Claims.
func (c claims) Typed(ctx context.Context, in store.Claimants, names map[string]bool) (out []kb.Link, err error) {
	types, err := c.types(ctx, in.Pages, names)
	if err != nil || len(types) == 0 {
		return nil, err
	}
	const query = "SELECT " + claimLinkColumns + " FROM links l"
	rows := map[int64]kb.Link{}
	found := func(r Row) error { rows[r.Int(0)] = claimLink(r); return nil }
	var args []any
	acts := "l.type <> 'links_to' AND l.type IN (" + inList(c.t.d, &args, types) + ")"
	if err := c.each(ctx, in, "l.row", query, "AND "+acts, args, found); err != nil {
		return nil, err
	}
	if in.Inbound && in.Pages == nil {
		into := query + " CROSS JOIN pages p ON p.row = l.target WHERE " + acts + " AND p.space = ?"
		if err := c.t.query(ctx, into, append(slices.Clone(args), in.Space), found); err != nil {
			return nil, err
		}
	}
	if err := c.t.each(ctx, query+" WHERE l.target = ? AND "+acts, of(in.Pages, args), found); err != nil {
		return nil, err
	}
	for _, row := range slices.Sorted(maps.Keys(rows)) {
		out = append(out, rows[row])
	}
	return out, nil
}

// types returns the types of links with a kb.NameKey among names, which is nil for all:
// those of the links on and to pages, or of all links if pages is nil. In the latter case it
// steps through the distinct types.
func (c claims) types(ctx context.Context, pages []int64, names map[string]bool) (out []string, err error) {
	found := func(r Row) error {
		if t := r.Text(0); (names == nil || names[kb.NameKey(t)]) && !slices.Contains(out, t) {
			out = append(out, t)
		}
		return nil
	}
	if pages == nil {
		const all = `WITH RECURSIVE t(type) AS (SELECT min(type) FROM links WHERE type <> 'links_to'
UNION ALL SELECT (SELECT min(type) FROM links WHERE type <> 'links_to' AND type > t.type) FROM t WHERE t.type IS NOT NULL)
SELECT type FROM t WHERE type IS NOT NULL`
		return out, c.t.query(ctx, all, nil, found)
	}
	var args [][]any
	for _, page := range pages {
		args = append(args, []any{firstFact(page), lastFact(page), page})
	}
	const of = `SELECT type FROM links WHERE type <> 'links_to' AND row BETWEEN ? AND ?
UNION SELECT type FROM links WHERE type <> 'links_to' AND target = ?`
	err = c.t.each(ctx, of, args, found)
	return out, err
}

const endingColumns = "e.row, e.subject, e.object, e.name, e.until, e.said_on, e.source, e.entry, e.quote, e.line"

// ending reads endingColumns.
func ending(r Row) kb.Ending {
	at := func(link int64) int {
		if link == 0 {
			return -1
		}
		return position(link)
	}
	return kb.Ending{
		Page: pageOf(r.Int(0)), Subject: at(r.Int(1)), Object: at(r.Int(2)), Name: r.Text(3), Until: r.Text(4), On: r.Text(5),
		Source: r.Text(6), Entry: r.Int(7) != 0, Quote: r.Text(8), Line: r.Num(9),
	}
}

// Endings implements store.Claims.
func (c claims) Endings(ctx context.Context, in store.Claimants) (out []store.EndedLink, err error) {
	known := map[int64]bool{}
	found := func(r Row) error {
		if !known[r.Int(0)] {
			known[r.Int(0)] = true
			out = append(out, store.EndedLink{Ending: ending(r)})
		}
		return nil
	}
	const query = "SELECT " + endingColumns + " FROM endings e"
	if err := c.each(ctx, in, "e.row", query, "ORDER BY e.row", nil, found); err != nil {
		return nil, err
	}
	const about = "SELECT " + endingColumns + ` FROM links l CROSS JOIN endings e
ON e.row BETWEEN (l.row >> 24) << 24 AND ((l.row >> 24) << 24 | 16777215) AND e.subject = l.row WHERE l.target = ?`
	if err := c.t.each(ctx, about, of(in.Pages, nil), found); err != nil {
		return nil, err
	}
	slices.SortFunc(out, func(a, b store.EndedLink) int {
		return cmp.Or(cmp.Compare(a.Page, b.Page), cmp.Compare(a.Line, b.Line))
	})
	return out, c.endedLinks(ctx, out)
}

// endedLinks reads the links of endings.
func (c claims) endedLinks(ctx context.Context, all []store.EndedLink) error {
	var rows []int64
	for _, e := range all {
		for _, at := range []int{e.Subject, e.Object} {
			if row := linkRow(firstFact(e.Page), at); row != 0 {
				rows = append(rows, row)
			}
		}
	}
	links := make(map[int64]kb.Link, len(rows))
	err := chunks(rows, nil, func(list string, args []any) error {
		return c.t.query(ctx, "SELECT "+claimLinkColumns+" FROM links l WHERE l.row IN ("+list+")", args, func(r Row) error {
			links[r.Int(0)] = claimLink(r)
			return nil
		})
	})
	for i := range all {
		e := &all[i]
		e.By, e.To = links[linkRow(firstFact(e.Page), e.Subject)], links[linkRow(firstFact(e.Page), e.Object)]
	}
	return err
}

// Properties implements store.Claims.
func (c claims) Properties(ctx context.Context, in store.Claimants, keys []string) (out []kb.Property, err error) {
	if len(keys) == 0 {
		return nil, nil
	}
	cond, args := withKeys(keys)
	err = c.each(ctx, in, "v.row", "SELECT v.row, v.key, v.text FROM properties v", cond+" ORDER BY v.row", args, func(r Row) error {
		out = append(out, kb.Property{Page: pageOf(r.Int(0)), Key: r.Text(1), Text: r.Text(2)})
		return nil
	})
	return out, err
}

// withKeys returns the condition that a property has one of keys, to be appended to another
// condition.
func withKeys(keys []string) (cond string, args []any) {
	var either []string
	for _, k := range keys {
		if strings.HasSuffix(k, ".") {
			either, args = append(either, "v.key >= ? AND v.key < ?"), append(args, k, strings.TrimSuffix(k, ".")+"/") // "/" follows "."
		} else {
			either, args = append(either, "v.key = ?"), append(args, k)
		}
	}
	return "AND (" + strings.Join(either, " OR ") + ")", args
}

// Values implements store.Claims. A row of a result is more expensive than finding it, so
// there is one row for each value.
func (c claims) Values(ctx context.Context, space int64, keys []string) (out []store.PropertyValue, err error) {
	if len(keys) == 0 {
		return nil, nil
	}
	cond, args := withKeys(keys)
	if !slices.ContainsFunc(keys, func(k string) bool { return k != "projects" && k != "status" }) {
		cond += isListed
	}
	query := "SELECT v.key, v.text, " + c.t.d.Joined("v.row") + " FROM properties v"
	err = c.each(ctx, store.Claimants{Space: space}, "v.row", query, cond+" GROUP BY v.key, v.text ORDER BY v.key, v.text", args, func(r Row) error {
		rows := numbers(r.Text(2))
		slices.Sort(rows)
		v := store.PropertyValue{Key: r.Text(0), Text: r.Text(1), At: make([]store.PropertyPlace, len(rows))}
		for i, row := range rows {
			v.At[i] = store.PropertyPlace{Page: pageOf(row), Position: position(row)}
		}
		out = append(out, v)
		return nil
	})
	return out, err
}

// isListed is the condition of the index properties_listed.
const isListed = " AND (v.key = 'projects' OR v.key = 'status')"

// Texts implements store.Claims. Each value is found in the index, starting from the
// previous one.
func (c claims) Texts(ctx context.Context, key string) (out []string, err error) {
	where := " FROM properties v WHERE v.key = ?"
	if key == "projects" || key == "status" {
		where += isListed
	}
	err = c.t.query(ctx, "WITH RECURSIVE x(text) AS (SELECT min(v.text)"+where+
		" UNION ALL SELECT (SELECT min(v.text)"+where+" AND v.text > x.text) FROM x WHERE x.text IS NOT NULL) SELECT text FROM x WHERE text IS NOT NULL",
		[]any{key, key}, func(r Row) error { out = append(out, r.Text(0)); return nil })
	return out, err
}

// Behind implements store.Claims.
func (c claims) Behind(ctx context.Context, in store.Claimants, by time.Duration) (out []int64, err error) {
	query := "SELECT p.row FROM pages p WHERE " + c.t.d.Behind + " >= ? AND "
	args := []any{in.Today, by.Microseconds()}
	found := func(r Row) error { out = append(out, r.Int(0)); return nil }
	if in.Pages == nil {
		return out, c.t.query(ctx, query+"p.space = ? ORDER BY p.row", append(args, in.Space), found)
	}
	err = chunks(in.Pages, args, func(list string, args []any) error {
		return c.t.query(ctx, query+"p.row IN ("+list+")", args, found)
	})
	slices.Sort(out)
	return out, err
}

// Dismiss implements store.Claims.
func (c claims) Dismiss(ctx context.Context, d kb.Dismissal) error {
	err := c.t.exec(ctx, `INSERT INTO dismissals (space, id, note, time, kind, name) VALUES (?, ?, ?, ?, ?, ?)
ON CONFLICT (space, id) DO UPDATE SET note = excluded.note, time = excluded.time, kind = excluded.kind, name = excluded.name`,
		d.Space, d.ID, d.Note, d.Time.UnixMicro(), string(d.Actor.Kind), d.Actor.Name)
	return err
}

// Dismissed implements store.Claims.
func (c claims) Dismissed(ctx context.Context, space int64) (out []kb.Dismissal, err error) {
	err = c.t.query(ctx, "SELECT id, note, time, kind, name FROM dismissals WHERE space = ? ORDER BY id", []any{space}, func(r Row) error {
		out = append(out, kb.Dismissal{
			Space: space, ID: r.Text(0), Note: r.Text(1), Time: time.UnixMicro(r.Int(2)).UTC(),
			Actor: kb.Actor{Kind: kb.ActorKind(r.Text(3)), Name: r.Text(4)},
		})
		return nil
	})
	return out, err
}
