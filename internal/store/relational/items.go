package relational

import (
	"context"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/store"
)

type items struct{ t *Tx }

const itemColumns = "i.kind, i.text, i.state, i.done, i.due, i.scheduled, i.start, i.completed, i.created, i.line"

func scanItem(r Row, page int64) kb.Item {
	return kb.Item{
		Page: page, Kind: r.Text(0), Text: r.Text(1), State: r.Text(2), Done: r.Int(3) == 1, Due: r.Text(4),
		Scheduled: r.Text(5), Start: r.Text(6), Completed: r.Text(7), Created: r.Text(8), Line: r.Num(9),
	}
}

func (i items) List(ctx context.Context, f store.ItemFilter, limit, offset int) ([]store.PageItem, int, error) {
	cond, args, err := filterSQL(i.t.d, f.Pages)
	if err != nil {
		return nil, 0, err
	}
	add := func(sql string, arg any) { cond, args = cond+" AND "+sql, append(args, arg) }
	if f.Kind != "" {
		add("i.kind = ?", f.Kind)
	}
	if f.Done != nil {
		add("i.done = ?", *f.Done)
	}
	if f.DueEnd != "" {
		add("i.due <> '' AND i.due < ?", f.DueEnd)
	}
	from := " FROM items i JOIN pages p ON p.row = i.row >> 24 JOIN documents d ON d.row = p.document WHERE " + cond
	total := 0
	if _, err := i.t.one(ctx, "SELECT count(*)"+from, args, func(r Row) { total = r.Num(0) }); err != nil || total == 0 {
		return nil, 0, err
	}
	var out []store.PageItem
	var rows []int64
	err = i.t.query(ctx, "SELECT "+itemColumns+", i.row"+from+
		" ORDER BY i.due = '', i.due, i.scheduled = '', i.scheduled, p.space, d.path, i.row"+limitSQL(limit, offset), args,
		func(r Row) error {
			page := pageOf(r.Int(10))
			out, rows = append(out, store.PageItem{Item: scanItem(r, page)}), append(rows, page)
			return nil
		})
	if err != nil {
		return nil, 0, err
	}
	byRow, err := i.pages(ctx, rows)
	for k := range out {
		out[k].Page = byRow[out[k].Item.Page]
	}
	return out, total, err
}

// pages returns pages by their rows.
func (i items) pages(ctx context.Context, rows []int64) (map[int64]kb.Page, error) {
	found, err := pages{i.t}.Get(ctx, rows)
	byRow := make(map[int64]kb.Page, len(found))
	for _, p := range found {
		byRow[p.Row] = p
	}
	return byRow, err
}

func (i items) Entries(ctx context.Context, f store.EntryFilter, limit, offset int) ([]store.PageEntry, int, error) {
	found, total, err := findEntries(ctx, i.t, f, limit, offset)
	if err != nil || total == 0 {
		return nil, 0, err
	}
	rows := make([]int64, len(found))
	for k, e := range found {
		rows[k] = e.Page
	}
	byRow, err := i.pages(ctx, rows)
	out := make([]store.PageEntry, len(found))
	for k, e := range found {
		out[k] = store.PageEntry{Entry: e, Page: byRow[e.Page]}
	}
	return out, total, err
}

// pageItems returns the items of one page.
func (p pages) pageItems(ctx context.Context, page int64) ([]kb.Item, error) {
	var out []kb.Item
	err := p.t.query(ctx, "SELECT "+itemColumns+" FROM items i WHERE i.row BETWEEN ? AND ? ORDER BY i.row",
		[]any{firstFact(page), lastFact(page)}, func(r Row) error {
			out = append(out, scanItem(r, page))
			return nil
		})
	return out, err
}

func (p pages) Properties(ctx context.Context, page int64) ([]kb.Property, error) {
	return p.t.Facts().Properties(ctx, []int64{page})
}
