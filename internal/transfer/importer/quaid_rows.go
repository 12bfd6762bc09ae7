package importer

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/cairn-kb/cairn/internal/transfer/foreign"
)

// quaidRows tracks the handling of the rows of a quaid database, by table.
type quaidRows struct {
	tags, entries, links, data, assertions, imports ownedRows

	pages, superseded, gaps, masked, contradictions section // masked has no rows: it is about texts

	rebuilt int // pages with texts rebuilt from their rows
	broken  int // assertions with line breaks

	replaced map[int64][]replacement // replaced pages, by their replacements
	said     map[int64]bool          // replaced pages with a text that names the replacement
	needed   map[int]bool            // pages with outcomes that others depend on
	numbers  map[int64]int64         // numbers of the assertions of pages being written, by row
	asked    map[int64]int64         // numbers of assertions replaced by those of other pages, by row
	dangling map[int64]bool          // assertions that replace a missing one
	circular map[int64]bool          // assertions that would close a cycle
}

// replacement is a page that another one replaces.
type replacement struct {
	page *quaidPage
	what string
	nth  int
}

func newQuaidRows() quaidRows {
	return quaidRows{
		replaced: map[int64][]replacement{}, said: map[int64]bool{}, needed: map[int]bool{}, numbers: map[int64]int64{}, asked: map[int64]int64{},
		dangling: map[int64]bool{}, circular: map[int64]bool{},
	}
}

// section is a part of a receipt: the outcomes of the rows of a table. The rows are
// processed with their pages, but reported in their own order.
type section struct {
	Tally
	lost []*lostRow
}

type lostRow struct {
	nth int
	Loss
}

// end adds a loss after all others.
func (s *section) end(l Loss) { s.lost = append(s.lost, &lostRow{math.MaxInt, l}) }

// add adds a section.
func (r *Receipt) add(s *section) {
	if s.Kind != "" {
		r.Counts = append(r.Counts, s.Tally)
	}
	slices.SortStableFunc(s.lost, func(x, y *lostRow) int { return x.nth - y.nth })
	for _, l := range s.lost {
		r.Lost = append(r.Lost, l.Loss)
	}
}

// report calls f for a row, and keeps its reports for the section. Reports of a
// page that is only read are repeated when it is written.
func (m *fromQuaid) report(s *section, nth int, f func(*Tally)) {
	before := m.out.Lost
	m.out.Lost = nil
	if m.ahead {
		f(&Tally{})
	} else {
		f(&s.Tally)
		for _, l := range m.out.Lost {
			s.lost = append(s.lost, &lostRow{nth, l})
		}
	}
	m.out.Lost = before
}

// ownedRows are the rows of a table that belong to pages.
type ownedRows struct {
	section
	all []ownedRow // by page
	add func(context.Context, []ownedRow) error
}

// ownedRow is a row. It is small, since every row has one.
type ownedRow struct {
	id        int64
	page, nth int32 // index of its page, -1 for none; its position in the report
}

// assignRows assigns rows to their pages, and sums up their sizes.
func (m *fromQuaid) assignRows(ctx context.Context) error {
	r := &m.rows
	err := foreign.Texts.Keys(ctx, m.from, func(k foreign.Key) {
		if p := m.byRow[k.ID]; p != nil {
			p.size += k.Size
		}
	})
	return cmp.Or(err,
		m.owned(ctx, &r.tags, foreign.Tags.Name, foreign.Tags.Keys, reading(m, foreign.Tags, m.tag)),
		m.owned(ctx, &r.entries, foreign.Entries.Name, foreign.Entries.Keys, reading(m, foreign.Entries, m.entry)),
		m.owned(ctx, &r.links, foreign.Links.Name, foreign.Links.Keys, reading(m, foreign.Links, m.link)),
		m.owned(ctx, &r.data, foreign.RawData.Name, foreign.RawData.Keys, reading(m, foreign.RawData, m.datum)),
		m.owned(ctx, &r.assertions, foreign.Assertions.Name, foreign.Assertions.Keys, reading(m, foreign.Assertions, m.assertion)),
		m.owned(ctx, &r.imports, foreign.Imports.Name, foreign.Imports.Keys, reading(m, foreign.Imports, m.file)),
	)
}

// keysOf calls f with the key of each row of a table.
type keysOf func(ctx context.Context, from *foreign.Database, f func(foreign.Key)) error

// readRows reads the rows of the given ids, in their order, and reports the outcome of each.
type readRows func(ctx context.Context, ids []int64, report func(func(*Tally))) error

func reading[T any](m *fromQuaid, from foreign.Table[T], f func(*Tally, T)) readRows {
	return func(ctx context.Context, ids []int64, report func(func(*Tally))) error {
		return from.Read(ctx, m.from, ids, func(x T) error {
			report(func(t *Tally) { f(t, x) })
			return nil
		})
	}
}

// owned assigns the rows of a table to pages. The rows themselves are read when their page
// is written.
func (m *fromQuaid) owned(ctx context.Context, r *ownedRows, name string, keys keysOf, read readRows) error {
	before := map[int]int64{} // replaced rows
	err := keys(ctx, m.from, func(k foreign.Key) {
		row := ownedRow{id: k.ID, page: -1, nth: int32(len(r.all))}
		if p := m.byRow[k.Page]; p != nil {
			row.page = int32(p.nth)
			p.size += k.Size
		}
		if k.Before != 0 {
			before[len(r.all)] = k.Before
		}
		r.all = append(r.all, row)
	})
	if err != nil {
		return err
	}
	r.Tally = Tally{Kind: name, Total: len(r.all)}
	m.inTurn(r.all, before)
	slices.SortFunc(r.all, func(x, y ownedRow) int {
		return cmp.Or(cmp.Compare(x.page, y.page), cmp.Compare(x.nth, y.nth))
	})
	r.add = func(ctx context.Context, some []ownedRow) error {
		ids := make([]int64, len(some))
		for i, row := range some {
			ids[i] = row.id
		}
		i := -1
		return read(ctx, ids, func(f func(*Tally)) {
			i++
			m.report(&r.section, int(some[i].nth), f)
		})
	}
	return nil
}

// of returns the rows of a page.
func (r *ownedRows) of(page int) []ownedRow {
	at := func(page int) int {
		i, _ := slices.BinarySearchFunc(r.all, page, func(row ownedRow, page int) int { return int(row.page) - page })
		return i
	}
	return r.all[at(page):at(page+1)]
}

// addTo adds the rows of pages to them.
func (r *ownedRows) addTo(ctx context.Context, pages []*quaidPage) error {
	var some []ownedRow
	for _, p := range pages {
		some = append(some, r.of(p.nth)...)
	}
	return r.add(ctx, some)
}

// begin handles the rows without a page, and reads the pages that have data others need.
func (m *fromQuaid) begin(ctx context.Context) error {
	r := &m.rows
	for _, t := range []*ownedRows{&r.tags, &r.entries, &r.links, &r.data, &r.assertions, &r.imports} {
		if err := t.add(ctx, t.of(-1)); err != nil {
			return err
		}
	}
	var pages []*quaidPage
	for _, p := range m.all {
		if r.needed[p.nth] {
			pages = append(pages, p)
		}
	}
	m.ahead = true
	err := m.some(ctx, pages, func([]*quaidPage) error { return nil })
	m.ahead = false
	return err
}

// each calls f with batches of pages; their contents are in memory until it
// returns.
func (m *fromQuaid) each(ctx context.Context, f func([]*quaidPage) error) error {
	if err := m.begin(ctx); err != nil {
		return err
	}
	return m.some(ctx, m.all, f)
}

func (m *fromQuaid) some(ctx context.Context, pages []*quaidPage, f func([]*quaidPage) error) error {
	for len(pages) > 0 {
		n, size := 0, int64(0)
		for ; n < len(pages) && n < chunkItems && size < chunkBytes; n++ {
			size += pages[n].size
		}
		err := m.build(ctx, pages[:n])
		if err == nil {
			err = f(pages[:n])
		}
		if err != nil {
			return err
		}
		for _, p := range pages[:n] {
			p.quaidText = nil
		}
		pages = pages[n:]
	}
	return nil
}

// build reads the texts of pages, and adds data from other tables.
func (m *fromQuaid) build(ctx context.Context, pages []*quaidPage) error {
	ids := make([]int64, len(pages))
	for i, p := range pages {
		ids[i] = p.ID
	}
	r, i := &m.rows, 0
	clear(r.numbers)
	err := foreign.Texts.Read(ctx, m.from, ids, func(x foreign.Text) error {
		pages[i].quaidText = &quaidText{Text: x}
		i++
		return nil
	})
	if err == nil {
		err = r.imports.addTo(ctx, pages)
	}
	if err == nil {
		err = m.texts(ctx, pages)
	}
	for _, add := range []*ownedRows{&r.tags, &r.entries, &r.links} {
		if err == nil {
			err = add.addTo(ctx, pages)
		}
	}
	if err == nil {
		m.supersede(pages)
		err = r.data.addTo(ctx, pages)
	}
	if err == nil {
		err = r.assertions.addTo(ctx, pages)
	}
	return err
}
