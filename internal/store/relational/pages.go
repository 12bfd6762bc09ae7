package relational

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/store"
)

type pages struct{ t *Tx }

// selectPages reads whole pages; scanPage reads its columns.
const (
	pageColumns = `p.row, p.id, s.name, s.id, d.path, p.node, p.slug, p.title, p.type, p.status, p.summary,
p.tags, p.aliases, d.version, d.hash, d.size, p.line, p.created, p.updated, p.day, s.syntax,
p.wing, p.room, p.truth_updated, p.timeline_updated, d.side_hash, p.permalink, p.as_of`
	pageWidth   = 28
	pageTables  = ` FROM pages p JOIN documents d ON d.row = p.document JOIN spaces s ON s.row = p.space`
	selectPages = "SELECT " + pageColumns + pageTables
)

// scanPage reads the columns of pageColumns.
func scanPage(r Row) (kb.Page, error) {
	p := kb.Page{
		Row: r.Int(0), ID: kb.ID(r.Text(1)), Space: r.Text(2), SpaceID: kb.ID(r.Text(3)), Path: r.Text(4), Node: r.Text(5),
		Slug: r.Text(6), Title: r.Text(7), Type: r.Text(8), Status: kb.Status(r.Text(9)), Summary: r.Text(10),
		Version: r.Num(13), Hash: r.Hash(14), Size: r.Int(15), Line: r.Num(16), Created: r.Time(17), Updated: r.Time(18), Day: r.Text(19), Syntax: kb.Syntax(r.Text(20)),
		Wing: r.Text(21), Room: r.Text(22), TruthUpdated: r.Time(23), TimelineUpdated: r.Time(24), Side: r.Hash(25), Permalink: r.Text(26), AsOf: r.Text(27),
	}
	var err error
	if p.Tags, err = r.List(11); err != nil {
		return p, err
	}
	p.Aliases, err = r.List(12)
	return p, err
}

// collect runs a query over selectPages.
func (p pages) collect(ctx context.Context, tail string, args ...any) ([]kb.Page, error) {
	var out []kb.Page
	err := p.t.query(ctx, selectPages+tail, args, func(r Row) error {
		page, err := scanPage(r)
		out = append(out, page)
		return err
	})
	return out, err
}

func (p pages) Get(ctx context.Context, rows []int64) ([]kb.Page, error) {
	found := make(map[int64]kb.Page, len(rows))
	read := func(list string, args []any) error {
		part, err := p.collect(ctx, " WHERE p.row IN ("+list+")", args...)
		for _, page := range part {
			found[page.Row] = page
		}
		return err
	}
	var err error
	if p.t.d.Far && len(rows) > maxIn {
		var args []any
		err = read("SELECT value FROM "+listed(p.t.d, &args, rows), args)
	} else {
		err = chunks(rows, nil, read)
	}
	if err != nil {
		return nil, err
	}
	out := make([]kb.Page, 0, len(found))
	for _, row := range rows {
		if page, ok := found[row]; ok {
			out = append(out, page)
		}
	}
	return out, nil
}

func (p pages) Places(ctx context.Context, rows []int64) ([]kb.Page, error) {
	out := make([]kb.Page, 0, len(rows))
	err := chunks(rows, nil, func(list string, args []any) error {
		return p.t.query(ctx, "SELECT p.row, s.name, p.slug, p.updated FROM pages p CROSS JOIN spaces s ON s.row = p.space WHERE p.row IN ("+list+")", args, func(r Row) error {
			out = append(out, kb.Page{Row: r.Int(0), Space: r.Text(1), Slug: r.Text(2), Updated: r.Time(3)})
			return nil
		})
	})
	slices.SortFunc(out, func(a, b kb.Page) int { return cmp.Or(cmp.Compare(a.Space, b.Space), cmp.Compare(a.Slug, b.Slug)) })
	return out, err
}

func (p pages) Newest(ctx context.Context, rows []int64, n int) ([]kb.Page, error) {
	if n <= 0 || len(rows) == 0 {
		return nil, nil
	}
	rows, err := p.newer(ctx, rows, n)
	if err != nil {
		return nil, err
	}
	newest, err := p.rows(ctx, "SELECT p.row FROM "+p.t.d.Numbers("x")+" CROSS JOIN pages p ON p.row = x.value JOIN spaces s ON s.row = p.space"+
		" ORDER BY p.updated DESC NULLS LAST, s.name || ':' || p.slug, p.row"+limitSQL(n, 0), []any{rows})
	if err != nil {
		return nil, err
	}
	return p.Get(ctx, newest)
}

// newer returns those of the rows that may be among the n most recently updated. It reads
// the times of all pages from an index, which takes a fifth of the time of looking up each
// row if the rows are most of the memory.
func (p pages) newer(ctx context.Context, rows []int64, n int) ([]int64, error) {
	const (
		few  = 256
		part = 4 // of all pages
	)
	if p.t.d.Far || len(rows) < few || n >= len(rows)/2 {
		return rows, nil
	}
	last := int64(0)
	if err := p.t.query(ctx, "SELECT max(row) FROM pages", nil, func(r Row) error { last = r.Int(0); return nil }); err != nil || int64(len(rows)) < last/part {
		return rows, err
	}
	asked, updated := make([]bool, last+1), make([]int64, last+1)
	for _, row := range rows {
		if 0 <= row && row <= last {
			asked[row] = true
		}
	}
	times := make([]int64, 0, len(rows))
	err := p.t.query(ctx, "SELECT row, updated FROM pages INDEXED BY pages_newest WHERE updated IS NOT NULL", nil, func(r Row) error {
		if row := r.Int(0); asked[row] {
			updated[row] = r.Int(1)
			times = append(times, r.Int(1))
		}
		return nil
	})
	if err != nil || len(times) < n {
		return rows, err
	}
	slices.Sort(times)
	least := times[len(times)-n]
	return slices.DeleteFunc(slices.Clone(rows), func(row int64) bool {
		return row < 0 || row > last || updated[row] < least
	}), nil
}

func (p pages) Briefs(ctx context.Context, space int64) (out []kb.Page, err error) {
	err = p.t.query(ctx, "SELECT row, id, title, type, status, summary, updated FROM pages WHERE space = ? AND node = ''", []any{space}, func(r Row) error {
		out = append(out, kb.Page{Row: r.Int(0), ID: kb.ID(r.Text(1)), Title: r.Text(2), Type: r.Text(3), Status: kb.Status(r.Text(4)), Summary: r.Text(5), Updated: r.Time(6)})
		return nil
	})
	slices.SortFunc(out, func(a, b kb.Page) int { return cmp.Compare(a.Row, b.Row) })
	return out, err
}

func (p pages) Named(ctx context.Context, f store.Filter) (out []kb.Page, err error) {
	from, args, err := p.filtered(f)
	if err != nil {
		return nil, err
	}
	err = p.t.query(ctx, "SELECT p.row, p.title, p.aliases"+from+" ORDER BY p.row", args, func(r Row) (err error) {
		page := kb.Page{Row: r.Int(0), Title: r.Text(1)}
		page.Aliases, err = r.List(2)
		out = append(out, page)
		return err
	})
	return out, err
}

func (p pages) NamedState(ctx context.Context, f store.Filter) (state string, err error) {
	from, args, err := p.filtered(f)
	if err != nil {
		return "", err
	}
	// In one row, see Rows.
	const of = "p.row || ' ' || length(p.title) || ' ' || p.title || CAST(p.aliases AS TEXT)"
	_, err = p.t.one(ctx, "SELECT "+p.t.d.Joined("x.named")+" FROM (SELECT "+of+" AS named"+from+" ORDER BY p.row) x", args, func(r Row) { state = r.Text(0) })
	return state, err
}

func (p pages) ByID(ctx context.Context, id kb.ID) ([]kb.Page, error) {
	return p.collect(ctx, " WHERE p.id = ? ORDER BY p.space", string(id))
}

func (p pages) ByIDPrefix(ctx context.Context, digits string, limit int) ([]kb.Page, error) {
	low, ok := idPrefix(digits)
	if !ok {
		return nil, nil
	}
	return p.collect(ctx, " WHERE p.id >= ? AND p.id < ? ORDER BY p.id, p.space"+limitSQL(limit, 0), low, low+"g")
}

func (p pages) Telling(ctx context.Context, ids []kb.ID) (map[kb.ID]int, error) {
	out := make(map[kb.ID]int, len(ids))
	err := chunks(ids, nil, func(list string, args []any) error {
		// The ids with the longest common prefix are neighbours in order.
		return p.t.query(ctx, "SELECT column1, (SELECT count(*) FROM pages WHERE id = column1), coalesce((SELECT max(id) FROM pages WHERE id < column1), ''),"+
			" coalesce((SELECT min(id) FROM pages WHERE id > column1), '') FROM (VALUES ("+strings.ReplaceAll(list, ",", "),(")+")) AS v", args, func(r Row) error {
			id := r.Text(0)
			digits := 1 + max(shared(id, r.Text(2)), shared(id, r.Text(3)))
			if r.Num(1) > 1 {
				digits = 1 + shared(id, id)
			}
			out[kb.ID(id)] = digits
			return nil
		})
	})
	return out, err
}

// shared counts the leading digits that two ids have in common.
func shared(a, b string) (n int) {
	for i := 0; i < min(len(a), len(b)) && a[i] == b[i]; i++ {
		if a[i] != '-' {
			n++
		}
	}
	return n
}

func (p pages) ByIDs(ctx context.Context, pass func(kb.ID) bool) ([]int64, error) {
	var rows []int64
	err := p.t.query(ctx, "SELECT row, id FROM pages ORDER BY row", nil, func(r Row) error {
		if pass(kb.ID(r.Text(1))) {
			rows = append(rows, r.Int(0))
		}
		return nil
	})
	return rows, err
}

// idPrefix inserts the hyphens of a UUID into its first digits.
func idPrefix(digits string) (string, bool) {
	const all = 32
	digits = strings.ToLower(digits)
	if len(digits) > all {
		return "", false
	}
	var b strings.Builder
	for i, r := range digits {
		if !strings.ContainsRune("0123456789abcdef", r) {
			return "", false
		}
		if i == 8 || i == 12 || i == 16 || i == 20 {
			b.WriteByte('-')
		}
		b.WriteRune(r)
	}
	return b.String(), true
}

func (p pages) ByPath(ctx context.Context, space int64, path string) ([]kb.Page, error) {
	return p.collect(ctx, " WHERE d.space = ? AND d.path = ? ORDER BY p.position", space, path)
}

func (p pages) ByNames(ctx context.Context, space int64, keys []string) (map[string][]kb.Page, error) {
	out := make(map[string][]kb.Page)
	var in []any
	where := " WHERE n.key IN ("
	if space != 0 {
		in, where = []any{space}, " WHERE +p.space = ? AND n.key IN (" // by name, of which there are few
	}
	err := chunks(keys, in, func(list string, args []any) error {
		return p.t.query(ctx, "SELECT "+pageColumns+", n.key"+pageTables+" JOIN names n ON n.page = p.row"+where+list+") ORDER BY p.slug, p.row", args, func(r Row) error {
			page, err := scanPage(r)
			key := r.Text(pageWidth)
			out[key] = append(out[key], page)
			return err
		})
	})
	return out, err
}

func (p pages) List(ctx context.Context, f store.Filter, by store.Order, limit, offset int) ([]kb.Page, int, error) {
	order, err := orderSQL(by)
	if err != nil {
		return nil, 0, err
	}
	from, args, err := p.filtered(f)
	if err != nil {
		return nil, 0, err
	}
	total := 0
	if _, err := p.t.one(ctx, "SELECT count(*)"+from, args, func(r Row) { total = r.Num(0) }); err != nil {
		return nil, 0, err
	}
	if total == 0 {
		return nil, 0, nil
	}
	// Rows first: sorting them is much cheaper than sorting whole pages.
	rows, err := p.rows(ctx, "SELECT p.row"+from+" ORDER BY "+order+limitSQL(limit, offset), args)
	if err != nil {
		return nil, 0, err
	}
	list, err := p.Get(ctx, rows)
	return list, total, err
}

func (p pages) Rows(ctx context.Context, f store.Filter) ([]int64, error) {
	from, args, err := p.filtered(f)
	if err != nil {
		return nil, err
	}
	// A row of a result is more expensive than finding it, so all come in one.
	var rows []int64
	_, err = p.t.one(ctx, "SELECT "+p.t.d.Joined("p.row")+from, args, func(r Row) { rows = numbers(r.Text(0)) })
	slices.Sort(rows)
	return rows, err
}

func (p pages) rows(ctx context.Context, sql string, args []any) ([]int64, error) {
	var out []int64
	err := p.t.query(ctx, sql, args, func(r Row) error { out = append(out, r.Int(0)); return nil })
	return out, err
}

// filtered returns FROM and WHERE for a filter. Documents are joined only if a condition
// refers to them.
func (p pages) filtered(f store.Filter) (string, []any, error) {
	cond, args, err := filterSQL(p.t.d, f)
	if err != nil {
		return "", nil, err
	}
	from := " FROM pages p"
	if strings.Contains(cond, "d.") {
		from += " JOIN documents d ON d.row = p.document"
	}
	return from + " WHERE " + cond, args, nil
}

func (p pages) Tags(ctx context.Context, f store.Filter) ([]store.Count, error) {
	from, args, err := p.filtered(f)
	if err != nil {
		return nil, err
	}
	from = strings.Replace(from, " WHERE ", " JOIN tags t ON t.page = p.row WHERE ", 1)
	// Spellings of one tag are counted together and shown as the most
	// frequent one.
	var out []store.Count
	last := ""
	err = p.t.query(ctx, "SELECT t.tag_fold, t.tag, count(*)"+from+" GROUP BY 1, 2 ORDER BY 1, 3 DESC, 2", args, func(r Row) error {
		if len(out) > 0 && r.Text(0) == last {
			out[len(out)-1].N += r.Num(2)
			return nil
		}
		last = r.Text(0)
		out = append(out, store.Count{Value: r.Text(1), N: r.Num(2)})
		return nil
	})
	sortCounts(out)
	return out, err
}

func sortCounts(list []store.Count) {
	slices.SortStableFunc(list, func(a, b store.Count) int {
		return cmp.Or(cmp.Compare(b.N, a.N), cmp.Compare(a.Value, b.Value))
	})
}

func (p pages) Declared(ctx context.Context, space int64, ids []kb.ID) ([]store.Declaration, error) {
	var out []store.Declaration
	err := chunks(ids, []any{space}, func(list string, args []any) error {
		return p.t.query(ctx, "SELECT "+pageColumns+", p.declared"+pageTables+
			" WHERE p.space = ? AND p.declared <> '' AND p.declared IN ("+list+")", args, func(r Row) error {
			page, err := scanPage(r)
			out = append(out, store.Declaration{Page: page, Declared: kb.ID(r.Text(pageWidth))})
			return err
		})
	})
	slices.SortFunc(out, func(a, b store.Declaration) int {
		return cmp.Or(cmp.Compare(a.Page.Slug, b.Page.Slug), cmp.Compare(a.Page.Row, b.Page.Row))
	})
	return out, err
}

func (p pages) Shared(ctx context.Context, space int64) ([]kb.ID, error) {
	var out []kb.ID
	err := p.t.query(ctx, `SELECT declared FROM pages WHERE space = ? AND declared <> ''
GROUP BY declared HAVING count(*) > 1 ORDER BY declared`, []any{space}, func(r Row) error {
		out = append(out, kb.ID(r.Text(0)))
		return nil
	})
	return out, err
}

func (p pages) Holders(ctx context.Context, space int64, ids []kb.ID) (map[kb.ID]int64, error) {
	out := make(map[kb.ID]int64, len(ids))
	err := chunks(ids, []any{space}, func(list string, args []any) error {
		return p.t.query(ctx, "SELECT id, row FROM pages WHERE space = ? AND id IN ("+list+")", args, func(r Row) error {
			out[kb.ID(r.Text(0))] = r.Int(1)
			return nil
		})
	})
	return out, err
}

func (p pages) SetID(ctx context.Context, page int64, id kb.ID) error {
	var space, document int64
	var node, old string
	found, err := p.t.one(ctx, "SELECT space, document, node, id FROM pages WHERE row = ?", []any{page}, func(r Row) {
		space, document, node, old = r.Int(0), r.Int(1), r.Text(2), r.Text(3)
	})
	switch {
	case err != nil:
		return err
	case !found:
		return kb.Errorf(kb.NotFound, "no such page")
	case kb.ID(old) == id:
		return nil
	}
	taken := func() error {
		return kb.Errorf(kb.Conflict, "another page of the space has the id %s", id).With("id", string(id))
	}
	err = p.t.execUnless(ctx, taken, "UPDATE pages SET id = ? WHERE row = ?", string(id), page)
	if err == nil {
		err = p.t.exec(ctx, "UPDATE gaps SET page = ? WHERE page = ? AND page_space = ?", string(id), old, space)
	}
	if err == nil {
		err = p.t.exec(ctx, "UPDATE gaps SET candidate = ? WHERE candidate = ? AND candidate_space = ?", string(id), old, space)
	}
	if err != nil || node != "" {
		return err // versions belong to documents
	}
	// A deleted page may have had the id. Its versions stay, as older ones.
	var before int
	if _, err := p.t.one(ctx, "SELECT coalesce(max(version), 0) FROM versions WHERE page = ? AND space = ?",
		[]any{string(id), space}, func(r Row) { before = r.Num(0) }); err != nil {
		return err
	}
	if err := p.t.exec(ctx, "UPDATE versions SET page = ?, version = version + ? WHERE page = ? AND space = ?",
		string(id), before, old, space); err != nil {
		return err
	}
	err = p.t.exec(ctx, `UPDATE documents SET id = ?1, version = version + ?2,
declared = (SELECT CASE WHEN declared = ?1 THEN 1 ELSE 0 END FROM pages WHERE row = ?3) WHERE row = ?4`, string(id), before, page, document)
	return err
}
