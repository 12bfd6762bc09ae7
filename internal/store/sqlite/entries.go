package sqlite

import (
	"context"
	"fmt"
	"regexp"
	"strconv"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/store"
)

// few is how many entries are sorted, rather than the newest looked for first.
const few = 1000

// ofDocuments matches conditions on documents d.
var ofDocuments = regexp.MustCompile(`\bd\.`)

// search holds the conditions of a query for entries.
type search struct {
	t     *tx
	pages string // their rows as a JSON list, "" for all pages
	from  string // the first date, "" for all
	cond  string // on entries e alone, dates from that one on apart
	condy []any  // arguments of that
}

// findEntries returns entries as store.Items.Entries does, of their pages only the row, and how
// many there are. It decides page by page which ones count and goes through the entries
// from the newest on, so that those which are not shown are neither read nor sorted.
func findEntries(ctx context.Context, t *tx, f store.EntryFilter, limit, offset int) (out []kb.Entry, total int, err error) {
	s := search{t: t, cond: "TRUE"}
	if err := s.within(ctx, f.Pages); err != nil {
		return nil, 0, err
	}
	add := func(sql string, arg ...any) { s.cond, s.condy = s.cond+" AND "+sql, append(s.condy, arg...) }
	if f.After != "" { // ISO dates of any precision compare as text
		s.from = f.After[:min(4, len(f.After))]
		add("+e.date >= substr(?, 1, length(e.date))", f.After) // the + keeps it from being used as an index bound
	}
	if f.Before != "" {
		add("e.date < ?", f.Before)
	}
	if f.Source != "" {
		add("(e.source = ? COLLATE NOCASE OR substr(e.source, 1, ?) = ? COLLATE NOCASE)", f.Source, len([]rune(f.Source))+1, f.Source+"/")
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

// within narrows to the entries of pages.
func (s *search) within(ctx context.Context, f store.Filter) error {
	rest := f
	rest.Spaces = nil
	if cond, _, err := filterSQL(rest); err != nil {
		return err
	} else if cond == "TRUE" {
		others, err := s.others(ctx, f.Spaces)
		if err != nil || !others {
			return err
		}
	}
	cond, args, err := filterSQL(f)
	if err != nil {
		return err
	}
	sql := "SELECT p.row FROM pages p WHERE " + cond
	if ofDocuments.MatchString(cond) {
		sql = "SELECT p.row FROM pages p CROSS JOIN documents d ON d.row = p.document WHERE " + cond
	}
	rows := []byte{'['}
	err = s.t.query(ctx, sql, args, func(r row) error {
		if len(rows) > 1 {
			rows = append(rows, ',')
		}
		rows = strconv.AppendInt(rows, r.int(0), 10)
		return nil
	})
	s.pages = string(append(rows, ']'))
	return err
}

// others reports whether other spaces than these have pages; an empty list
// means all spaces.
func (s *search) others(ctx context.Context, spaces []int64) (some bool, err error) {
	if len(spaces) == 0 {
		return false, nil
	}
	var args []any
	sql := "SELECT EXISTS (SELECT 1 FROM spaces s WHERE s.row NOT IN (" + inList(&args, spaces) + ") AND EXISTS (SELECT 1 FROM pages p WHERE p.space = s.row))"
	err = s.t.query(ctx, sql, args, func(r row) error {
		some = r[0] == int64(1)
		return nil
	})
	return some, err
}

// count goes from the pages to their entries.
func (s *search) count(ctx context.Context) (n int, err error) {
	var sql string
	var args []any
	switch cond, condy := s.dated(); {
	case s.pages != "":
		sql = "SELECT count(*) FROM json_each(?) m CROSS JOIN entries e ON e.row BETWEEN m.value << 24 AND m.value << 24 | 16777215 WHERE " + cond
		args = append([]any{s.pages}, condy...)
	case cond != "TRUE":
		sql, args = "SELECT count(*) FROM entries e WHERE "+cond, condy
	default: // without a condition SQLite counts and reads nothing
		sql = "SELECT count(*) FROM entries e"
	}
	err = s.t.query(ctx, sql, args, func(r row) error {
		n = r.num(0)
		return nil
	})
	return n, err
}

// newest limits the query to entries that may be among the first n, by the
// index of dates.
func (s *search) newest(ctx context.Context, n int) error {
	cond, args := s.all()
	return s.t.query(ctx, fmt.Sprintf("SELECT e.date FROM entries e INDEXED BY entries_date WHERE %s ORDER BY e.date DESC LIMIT 1 OFFSET %d", cond, n-1), args, func(r row) error {
		s.from = r.text(0)
		return nil
	})
}

// dated is the condition on entries alone.
func (s *search) dated() (string, []any) {
	if s.from == "" {
		return s.cond, s.condy
	}
	return "e.date >= ? AND " + s.cond, append([]any{s.from}, s.condy...)
}

// all is the condition with that on the pages.
func (s *search) all() (string, []any) {
	cond, args := s.dated()
	if s.pages == "" {
		return cond, args
	}
	return cond + " AND e.row >> 24 IN (SELECT value FROM json_each(?))", append(args[:len(args):len(args)], s.pages)
}

func (s *search) list(ctx context.Context, limit, offset int) (out []kb.Entry, err error) {
	cond, args := s.all()
	sql := "SELECT e.row, e.date, e.source, e.text, e.detail, e.line FROM entries e CROSS JOIN pages o ON o.row = e.row >> 24 CROSS JOIN documents f ON f.row = o.document WHERE " +
		cond + " ORDER BY e.date DESC, o.space, f.path, e.row" + limitSQL(limit, offset)
	err = s.t.query(ctx, sql, args, func(r row) error {
		out = append(out, kb.Entry{
			Page: r.int(0) >> 24, Date: r.text(1), Source: r.text(2), Text: r.text(3), Detail: r.text(4), Line: r.num(5),
		})
		return nil
	})
	return out, err
}
