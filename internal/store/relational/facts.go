package relational

import (
	"context"
	"slices"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/store"
)

// factBits is the number of bits by which a page's row is shifted in the row numbers of its
// facts. A page may have 16 million facts of a kind, a memory 5 * 10^11 pages.
const factBits = 24

const maxFacts = 1 << factBits

// firstFact and lastFact bound the row numbers of a page's facts.
func firstFact(page int64) int64 { return page << factBits }
func lastFact(page int64) int64  { return page<<factBits | (maxFacts - 1) }

// pageOf returns the page of a fact.
func pageOf(fact int64) int64 { return fact >> factBits }

// factTables are the tables with rows numbered by page and position.
var factTables = []string{"links", "observations", "entries", "warnings", "properties", "items", "endings", "assertions"}

var deleteFacts = func() (out []string) {
	for _, table := range factTables {
		out = append(out, "DELETE FROM "+table+" WHERE row BETWEEN ? AND ?")
	}
	return out
}()

// dropFacts deletes all facts of pages, together for consecutive rows.
func (t *Tx) dropFacts(ctx context.Context, pages []int64) error {
	pages = slices.Sorted(slices.Values(pages))
	for from := 0; from < len(pages); {
		to := from
		for to+1 < len(pages) && pages[to+1] <= pages[to]+1 {
			to++
		}
		for _, sql := range deleteFacts {
			if err := t.exec(ctx, sql, firstFact(pages[from]), lastFact(pages[to])); err != nil {
				return err
			}
		}
		from = to + 1
	}
	return nil
}

// addFacts inserts the facts, except links, of a page without facts.
func (in *inserts) addFacts(ctx context.Context, page int64, rec *store.PageRecord) error {
	if max(len(rec.Links), len(rec.Observations), len(rec.Entries), len(rec.Warnings), len(rec.Properties), len(rec.Items), len(rec.Endings), len(rec.Assertions)) > maxFacts {
		return kb.Errorf(kb.Invalid, "a page has more than %d links or facts", maxFacts)
	}
	first := firstFact(page)
	for i, o := range rec.Observations {
		if err := in.observations.add(ctx, first+int64(i), o.Category, o.Text, encodeList(o.Tags), o.Context, o.Line); err != nil {
			return err
		}
	}
	for i, e := range rec.Entries {
		if err := in.entries.add(ctx, first+int64(i), e.Date, e.Source, e.Text, e.Detail, e.Line); err != nil {
			return err
		}
	}
	for i, p := range rec.Properties {
		if err := in.properties.add(ctx, first+int64(i), p.Key, p.Text, foldText(p.Text), realOrNull(p.Number)); err != nil {
			return err
		}
	}
	for i := range rec.Items {
		it := &rec.Items[i]
		if err := in.items.add(ctx, first+int64(i), it.Kind, it.Text, it.State, it.Done, it.Due, it.Scheduled, it.Start,
			it.Completed, it.Created, it.Line); err != nil {
			return err
		}
	}
	for i, e := range rec.Endings {
		if err := in.endings.add(ctx, first+int64(i), linkRow(first, e.Subject), linkRow(first, e.Object), e.Name, e.Until, e.On, e.Source, e.Entry, e.Quote, e.Line); err != nil {
			return err
		}
	}
	for i, a := range rec.Assertions {
		if err := in.assertions.add(ctx, assertionRow(first+int64(i), a)...); err != nil {
			return err
		}
	}
	for i, w := range rec.Warnings {
		if err := in.warnings.add(ctx, first+int64(i), w.Code, w.Text, w.Line); err != nil {
			return err
		}
	}
	return nil
}

// linkRow returns the row of a link of a page from its position, 0 for none.
func linkRow(first int64, position int) int64 {
	if position < 0 {
		return 0
	}
	return first + int64(position)
}

// addLinks inserts the links of a page without links.
func (in *inserts) addLinks(ctx context.Context, page int64, links []kb.Link) error {
	first := firstFact(page)
	for i := range links {
		l := &links[i]
		if err := in.links.add(ctx, first+int64(i), rowOrNull(l.To), l.Candidates, l.Kind, l.Type, l.Name, l.Key, l.Heading, l.Text,
			l.ValidFrom, l.ValidUntil, l.Context, l.Line); err != nil {
			return err
		}
	}
	return nil
}

// rowOrNull returns a reference as a column value, NULL for 0.
func rowOrNull(row int64) any {
	if row == 0 {
		return nil
	}
	return row
}

func (p pages) Observations(ctx context.Context, page int64) ([]kb.Observation, error) {
	return p.t.Facts().Observations(ctx, []int64{page})
}

const entryColumns = "e.date, e.source, e.text, e.detail, e.line"

func scanEntry(r Row, page int64) kb.Entry {
	return kb.Entry{Page: page, Date: r.Text(0), Source: r.Text(1), Text: r.Text(2), Detail: r.Text(3), Line: r.Num(4)}
}

func (p pages) Entries(ctx context.Context, page int64) ([]kb.Entry, error) {
	var out []kb.Entry
	err := p.t.query(ctx, "SELECT "+entryColumns+" FROM entries e WHERE e.row BETWEEN ? AND ? ORDER BY e.row",
		[]any{firstFact(page), lastFact(page)}, func(r Row) error {
			out = append(out, scanEntry(r, page))
			return nil
		})
	return out, err
}

func (p pages) Warnings(ctx context.Context, space int64) ([]store.Warning, error) {
	var out []store.Warning
	// There are few warnings: read them all and look up their pages.
	err := p.t.query(ctx, `SELECT p.row, w.code, w.text, w.line FROM warnings w CROSS JOIN pages p ON p.row = w.row >> 24
WHERE p.space = ? ORDER BY w.row`, []any{space}, func(r Row) error {
		out = append(out, store.Warning{Page: r.Int(0), Code: r.Text(1), Text: r.Text(2), Line: r.Num(3)})
		return nil
	})
	return out, err
}

// pageWarnings returns the warnings of one page.
func (p pages) pageWarnings(ctx context.Context, page int64) ([]store.Warning, error) {
	var out []store.Warning
	err := p.t.query(ctx, "SELECT code, text, line FROM warnings WHERE row BETWEEN ? AND ? ORDER BY row",
		[]any{firstFact(page), lastFact(page)}, func(r Row) error {
			out = append(out, store.Warning{Page: page, Code: r.Text(0), Text: r.Text(1), Line: r.Num(2)})
			return nil
		})
	return out, err
}

// endings returns the statements on a page that something has ended.
func (p pages) endings(ctx context.Context, page int64) ([]kb.Ending, error) {
	var out []kb.Ending
	err := p.t.query(ctx, "SELECT "+endingColumns+" FROM endings e WHERE e.row BETWEEN ? AND ? ORDER BY e.row",
		[]any{firstFact(page), lastFact(page)}, func(r Row) error { out = append(out, ending(r)); return nil })
	return out, err
}

// facts implements store.Facts.
type facts struct{ t *Tx }

var _ store.Facts = facts{}

// near is the number of unrequested pages that are read along, since that is cheaper than
// skipping them.
const near = 4

// span is a range of pages, with few unrequested ones in it.
type span struct{ from, to int64 }

// spans groups pages with adjacent rows.
func spans(pages []int64) (out []span) {
	for _, p := range slices.Sorted(slices.Values(pages)) {
		if n := len(out); n > 0 && p <= out[n-1].to+near {
			out[n-1].to = p
			continue
		}
		out = append(out, span{p, p})
	}
	return out
}

func rowSet(pages []int64) map[int64]bool {
	out := make(map[int64]bool, len(pages))
	for _, p := range pages {
		out[p] = true
	}
	return out
}

// each runs a statement over the facts of pages. The statement ends with a condition on row,
// its first column.
func (f facts) each(ctx context.Context, sql string, pages []int64, do func(page int64, v Row) error) error {
	asked := rowSet(pages)
	var args [][]any
	for _, s := range spans(pages) {
		args = append(args, []any{firstFact(s.from), lastFact(s.to)})
	}
	return f.t.each(ctx, sql+" BETWEEN ? AND ? ORDER BY row", args, func(v Row) error {
		if page := pageOf(v.Int(0)); asked[page] {
			return do(page, v)
		}
		return nil
	})
}

// Observations implements store.Facts.
func (f facts) Observations(ctx context.Context, pages []int64) (out []kb.Observation, err error) {
	err = f.each(ctx, "SELECT row, category, text, tags, context, line FROM observations WHERE row", pages, func(page int64, v Row) error {
		tags, err := decodeList(v.Blob(3))
		out = append(out, kb.Observation{Page: page, Category: v.Text(1), Text: v.Text(2), Tags: tags, Context: v.Text(4), Line: v.Num(5)})
		return err
	})
	return out, err
}

// Properties implements store.Facts.
func (f facts) Properties(ctx context.Context, pages []int64) (out []kb.Property, err error) {
	err = f.each(ctx, "SELECT row, key, text, number FROM properties WHERE row", pages, func(page int64, v Row) error {
		out = append(out, kb.Property{Page: page, Key: v.Text(1), Text: v.Text(2), Number: v.Float(3)})
		return nil
	})
	return out, err
}

// Links implements store.Facts.
func (f facts) Links(ctx context.Context, pages []int64, typed bool) (out []kb.Link, err error) {
	sql := "SELECT row, target, type, name, context, line FROM links WHERE row"
	if typed {
		sql = "SELECT row, target, type, name, context, line FROM links WHERE type <> '" + kb.PlainLink + "' AND row"
	}
	err = f.each(ctx, sql, pages, func(page int64, v Row) error {
		out = append(out, kb.Link{From: page, To: v.Int(1), Type: v.Text(2), Name: v.Text(3), Context: v.Text(4), Line: v.Num(5)})
		return nil
	})
	return out, err
}

// Values implements store.Facts.
func (f facts) Values(ctx context.Context, key string, pages []int64) (map[int64]string, error) {
	out, asked := map[int64]string{}, rowSet(pages)
	var args [][]any
	for _, s := range spans(pages) {
		args = append(args, []any{key, firstFact(s.from), lastFact(s.to)})
	}
	err := f.t.each(ctx, "SELECT row, text FROM properties INDEXED BY properties_key WHERE key = ? AND row BETWEEN ? AND ? ORDER BY row", args, func(v Row) error {
		page := pageOf(v.Int(0))
		if _, has := out[page]; asked[page] && !has {
			out[page] = v.Text(1)
		}
		return nil
	})
	return out, err
}

// Types implements store.Facts.
func (f facts) Types(ctx context.Context, pages []int64) (map[int64]string, error) {
	out, asked := make(map[int64]string, len(pages)), rowSet(pages)
	var args [][]any
	for _, s := range spans(pages) {
		args = append(args, []any{s.from, s.to})
	}
	err := f.t.each(ctx, "SELECT row, type FROM pages WHERE row BETWEEN ? AND ?", args, func(v Row) error {
		if row := v.Int(0); asked[row] {
			out[row] = v.Text(1)
		}
		return nil
	})
	return out, err
}
