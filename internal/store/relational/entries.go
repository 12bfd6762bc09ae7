package relational

import (
	"context"
	"fmt"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/store"

	"github.com/cairn-kb/cairn/internal/kb/lazyregexp"
)

// few is the number of entries up to which all are sorted, instead of searching from the
// newest.
const few = 1000

// ofDocuments matches references to documents d in a condition.
var ofDocuments = lazyregexp.New(`\bd\.`)

// search holds the conditions of a query for entries.
type search struct {
	t     *Tx
	pages []int64 // their rows, nil for all pages
	from  string  // the first date, "" for all
	cond  string  // on entries e only, without the date from which to search
	condy []any   // its arguments
}

// findEntries returns entries as store.Items.Entries does, but only the rows of their pages,
// and their total number. It decides page by page which entries count, and walks over the
// entries from the newest, so that entries that are not shown are neither read nor sorted.
func findEntries(ctx context.Context, t *Tx, f store.EntryFilter, limit, offset int) (out []kb.Entry, total int, err error) {
	s := search{t: t, cond: "TRUE"}
	if err := s.within(ctx, f.Pages); err != nil {
		return nil, 0, err
	}
	add := func(sql string, arg ...any) { s.cond, s.condy = s.cond+" AND "+sql, append(s.condy, arg...) }
	if f.After != "" { // ISO dates of any precision compare as text
		s.from = f.After[:min(4, len(f.After))]
		add("+e.date >= substr(?, 1, length(e.date))", f.After) // the + prevents its use as an index bound
	}
	if f.Before != "" {
		add("e.date < ?", f.Before)
	}
	if f.Source != "" {
		source := lowerASCII(f.Source)
		add("(lower(e.source) = ? OR substr(lower(e.source), 1, ?) = ?)", source, len([]rune(source))+1, source+"/")
	}
	if total, err = s.count(ctx); err != nil || total == 0 {
		return nil, 0, err
	}
	offset = max(offset, 0)
	if limit > 0 && offset+limit < total && total > few {
		if err := s.newest(ctx, offset+limit); err != nil {
			return nil, 0, err
		}
	}
	out, err = s.list(ctx, limit, offset)
	return out, total, err
}

// within restricts the search to the entries of pages.
func (s *search) within(ctx context.Context, f store.Filter) error {
	rest := f
	rest.Spaces = nil
	if cond, _, err := filterSQL(s.t.d, rest); err != nil {
		return err
	} else if cond == "TRUE" {
		others, err := s.others(ctx, f.Spaces)
		if err != nil || !others {
			return err
		}
	}
	cond, args, err := filterSQL(s.t.d, f)
	if err != nil {
		return err
	}
	sql := "SELECT p.row FROM pages p WHERE " + cond
	if ofDocuments().MatchString(cond) {
		sql = "SELECT p.row FROM pages p CROSS JOIN documents d ON d.row = p.document WHERE " + cond
	}
	s.pages = []int64{}
	return s.t.query(ctx, sql, args, func(r Row) error {
		s.pages = append(s.pages, r.Int(0))
		return nil
	})
}

// others reports whether spaces other than these have pages; an empty list means all spaces.
func (s *search) others(ctx context.Context, spaces []int64) (some bool, err error) {
	if len(spaces) == 0 {
		return false, nil
	}
	var args []any
	sql := "SELECT EXISTS (SELECT 1 FROM spaces s WHERE s.row NOT IN (" + inList(s.t.d, &args, spaces) + ") AND EXISTS (SELECT 1 FROM pages p WHERE p.space = s.row))"
	err = s.t.query(ctx, sql, args, func(r Row) error {
		some = r.Int(0) == 1
		return nil
	})
	return some, err
}

// count counts the entries, starting from their pages.
func (s *search) count(ctx context.Context) (n int, err error) {
	var sql string
	var args []any
	switch cond, condy := s.dated(); {
	case s.pages != nil:
		sql = "SELECT count(*) FROM " + s.t.d.Numbers("m") + " CROSS JOIN entries e ON e.row BETWEEN m.value << 24 AND m.value << 24 | 16777215 WHERE " + cond
		args = append([]any{s.pages}, condy...)
	case cond != "TRUE":
		sql, args = "SELECT count(*) FROM entries e WHERE "+cond, condy
	default: // without a condition SQLite counts without reading rows
		sql = "SELECT count(*) FROM entries e"
	}
	err = s.t.query(ctx, sql, args, func(r Row) error {
		n = r.Num(0)
		return nil
	})
	return n, err
}

// newest restricts the query to entries that may be among the first n, with the index of
// dates.
func (s *search) newest(ctx context.Context, n int) error {
	cond, args := s.all()
	return s.t.query(ctx, fmt.Sprintf("SELECT e.date FROM entries e INDEXED BY entries_date WHERE %s ORDER BY e.date DESC LIMIT 1 OFFSET %d", cond, n-1), args, func(r Row) error {
		s.from = r.Text(0)
		return nil
	})
}

// dated returns the condition on entries only.
func (s *search) dated() (string, []any) {
	if s.from == "" {
		return s.cond, s.condy
	}
	return "e.date >= ? AND " + s.cond, append([]any{s.from}, s.condy...)
}

// all returns the condition on entries and their pages.
func (s *search) all() (string, []any) {
	cond, args := s.dated()
	if s.pages == nil {
		return cond, args
	}
	return cond + " AND e.row >> 24 IN (SELECT value FROM " + s.t.d.Numbers("m") + ")", append(args[:len(args):len(args)], s.pages)
}

func (s *search) list(ctx context.Context, limit, offset int) (out []kb.Entry, err error) {
	cond, args := s.all()
	sql := "SELECT e.row, e.date, e.source, e.text, e.detail, e.line FROM entries e CROSS JOIN pages o ON o.row = e.row >> 24 CROSS JOIN documents f ON f.row = o.document WHERE " +
		cond + " ORDER BY e.date DESC, o.space, f.path, e.row" + limitSQL(limit, offset)
	err = s.t.query(ctx, sql, args, func(r Row) error {
		out = append(out, kb.Entry{
			Page: r.Int(0) >> 24, Date: r.Text(1), Source: r.Text(2), Text: r.Text(3), Detail: r.Text(4), Line: r.Num(5),
		})
		return nil
	})
	return out, err
}
