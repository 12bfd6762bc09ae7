package foreign

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Table describes a table by the columns that are read. Missing columns read as empty ones,
// and a missing table as an empty one.
type Table[T any] struct {
	shape
	read func(*Database, row) T
}

// shape is the part of a table that does not depend on the type of its rows. Its methods are
// compiled once, those of Table for each type.
type shape struct {
	Name    string
	columns []string // the first is its id
	page    string   // the column of the page that a row belongs to
	before  string   // the column of the row that it replaces
	large   []string // columns that may have long texts
}

// Key identifies a row, its page and the row that it replaces.
type Key struct {
	ID, Page int64
	Before   int64 // the row that it replaces; 0 for none
	Size     int64 // bytes of the columns that may be long
}

// The tables with rows that belong to pages.
var (
	Texts = Table[Text]{
		shape: shape{
			Name: "pages", page: "id", large: []string{"compiled_truth", "timeline", "frontmatter"},
			columns: []string{"id", "type", "created_at", "compiled_truth", "timeline", "frontmatter", "quarantined_at"},
		},
		read: func(_ *Database, x row) Text {
			return Text{
				ID: x.num(0), Type: x.text(1), Created: x.text(2), Truth: x.text(3), Timeline: x.text(4), Frontmatter: json.RawMessage(x.text(5)), Quarantined: x.text(6),
			}
		},
	}
	Links = Table[QuaidLink]{
		shape: shape{
			Name: "links", page: "from_page_id", large: []string{"context"},
			columns: []string{"id", "from_page_id", "to_page_id", "relationship", "context", "source_kind", "valid_from", "valid_until"},
		},
		read: func(_ *Database, x row) QuaidLink {
			return QuaidLink{ID: x.num(0), From: x.num(1), To: x.num(2), Type: x.text(3), Context: x.text(4), Kind: x.text(5), ValidFrom: x.text(6), ValidUntil: x.text(7)}
		},
	}
	Tags = Table[Tag]{
		shape: shape{Name: "tags", page: "page_id", columns: []string{"id", "page_id", "tag"}},
		read:  func(_ *Database, x row) Tag { return Tag{x.num(0), x.num(1), x.text(2)} },
	}
	Entries = Table[Entry]{
		shape: shape{Name: "timeline_entries", page: "page_id", large: []string{"detail"}, columns: []string{"id", "page_id", "date", "source", "summary", "detail"}},
		read: func(_ *Database, x row) Entry {
			return Entry{x.num(0), x.num(1), x.text(2), x.text(3), x.text(4), x.text(5)}
		},
	}
	RawData = Table[Raw]{
		shape: shape{Name: "raw_data", page: "page_id", large: []string{"data"}, columns: []string{"id", "page_id", "source", "data", "fetched_at"}},
		read:  func(_ *Database, x row) Raw { return Raw{x.num(0), x.num(1), x.text(2), x.text(3), x.text(4)} },
	}
	Assertions = Table[Assertion]{
		shape: shape{
			Name: "assertions", page: "page_id", before: "supersedes_id", large: []string{"evidence_text"},
			columns: []string{
				"id", "page_id", "supersedes_id", "subject", "predicate", "object", "valid_from", "valid_until", "confidence", "asserted_by", "source_ref", "evidence_text", "created_at",
			},
		},
		read: func(_ *Database, x row) Assertion {
			return Assertion{
				ID: x.num(0), Page: x.num(1), Supersedes: x.num(2), Subject: x.text(3), Predicate: x.text(4), Object: x.text(5), ValidFrom: x.text(6),
				ValidUntil: x.text(7), Confidence: x.real(8), By: x.text(9), Source: x.text(10), Evidence: x.text(11), Created: x.text(12),
			}
		},
	}
	Imports = Table[Import]{
		shape: shape{Name: "raw_imports", page: "page_id", large: []string{"raw_bytes"}, columns: []string{"id", "page_id", "is_active", "raw_bytes"}},
		read: func(d *Database, x row) Import {
			return Import{ID: x.num(0), Page: x.num(1), Active: !d.columns["raw_imports"]["is_active"] || x.num(2) == 1, Bytes: []byte(x.text(3))}
		},
	}
)

// The tables with rows that are read sequentially.
var (
	Pages = Table[Page]{
		shape: shape{Name: "pages", columns: []string{"id", "collection_id", "namespace", "slug", "title", "superseded_by"}},
		read: func(_ *Database, x row) Page {
			return Page{ID: x.num(0), Collection: x.num(1), Namespace: x.text(2), Slug: x.text(3), Title: x.text(4), SupersededBy: x.num(5)}
		},
	}
	Gaps = Table[Gap]{
		shape: shape{
			Name: "knowledge_gaps",
			columns: []string{
				"id", "page_id", "query_hash", "query_text", "context", "confidence_score", "sensitivity", "approved_by", "approved_at", "redacted_query", "resolved_at",
				"resolved_by_slug", "detected_at",
			},
		},
		read: func(_ *Database, x row) Gap {
			return Gap{
				ID: x.num(0), Page: x.num(1), Hash: x.text(2), Text: x.text(3), Context: x.text(4), Score: x.real(5), Sensitivity: x.text(6), Approver: x.text(7),
				Approved: x.text(8), Redacted: x.text(9), Resolved: x.text(10), Slug: x.text(11), Detected: x.text(12),
			}
		},
	}
	Contradictions = Table[Contradiction]{
		shape: shape{Name: "contradictions", columns: []string{"id", "page_id", "other_page_id", "type", "description", "detected_at", "resolved_at"}},
		read: func(_ *Database, x row) Contradiction {
			return Contradiction{x.num(0), x.num(1), x.num(2), x.text(3), x.text(4), x.text(5), x.text(6)}
		},
	}
	collections = Table[Collection]{
		shape: shape{Name: "collections", columns: []string{"id", "name", "is_write_target"}},
		read: func(_ *Database, x row) Collection {
			return Collection{ID: x.num(0), Name: x.text(1), Target: x.num(2) == 1}
		},
	}
	namespaces = Table[QuaidNamespace]{
		shape: shape{Name: "namespaces", columns: []string{"id", "ttl_hours"}},
		read:  func(_ *Database, x row) QuaidNamespace { return QuaidNamespace{Name: x.text(0), Hours: x.text(1)} },
	}
)

// Each calls f with each row, in the order of their ids, until f fails.
func (t Table[T]) Each(ctx context.Context, d *Database, f func(T) error) error {
	return t.each(ctx, d, func(x row) error { return f(t.read(d, x)) })
}

// Keys calls f with the key of each row, in the order of their ids.
func (t shape) Keys(ctx context.Context, d *Database, f func(Key)) error {
	sizes := []string{"0"}
	for _, c := range t.large {
		if d.columns[t.Name][c] {
			sizes = append(sizes, "coalesce(octet_length("+c+"), 0)")
		}
	}
	list := []string{t.column(d, t.columns[0]), t.column(d, t.page), t.column(d, t.before), strings.Join(sizes, " + ")}
	return t.rows(ctx, d, list, "", func(x row) error {
		f(Key{ID: x.num(0), Page: x.num(1), Before: x.num(2), Size: x.num(3)})
		return nil
	})
}

// Read calls f with the rows of the given ids, in the order of ids, until f fails. A missing
// row is kb.Invalid.
func (t Table[T]) Read(ctx context.Context, d *Database, ids []int64, f func(T) error) error {
	for some := range slices.Chunk(ids, 500) {
		found := make([]T, len(some))
		err := t.withIDs(ctx, d, some, func(i int, x row) { found[i] = t.read(d, x) })
		for i := 0; i < len(found) && err == nil; i++ {
			err = f(found[i])
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// each calls f with each row, in the order of their ids.
func (t shape) each(ctx context.Context, d *Database, f func(row) error) error {
	return t.rows(ctx, d, t.texts(d), "", f)
}

// withIDs calls f with each of the rows of the given ids, and the index of its id.
func (t shape) withIDs(ctx context.Context, d *Database, ids []int64, f func(int, row)) error {
	list, at, got := make([]string, len(ids)), make(map[int64]int, len(ids)), 0
	for i, id := range ids {
		list[i], at[id] = strconv.FormatInt(id, 10), i
	}
	err := t.rows(ctx, d, t.texts(d), " WHERE "+t.id(d)+" IN ("+strings.Join(list, ", ")+")", func(x row) error {
		f(at[x.num(0)], x)
		got++
		return nil
	})
	if err == nil && got != len(ids) {
		err = d.unreadable(fmt.Errorf("table %s: %d of %d rows cannot be found by their ids", t.Name, len(ids)-got, len(ids)))
	}
	return err
}

// rows calls f with the rows that match a condition, ordered by id.
func (t shape) rows(ctx context.Context, d *Database, columns []string, where string, f func(row) error) error {
	if d.columns[t.Name] == nil {
		return nil
	}
	var failed error
	err := d.query(ctx, "SELECT "+strings.Join(columns, ", ")+" FROM "+t.Name+where+" ORDER BY "+t.id(d), len(columns), func(x row) error {
		failed = f(x)
		return failed
	})
	if err != nil && failed == nil {
		err = d.unreadable(fmt.Errorf("table %s: %w", t.Name, err))
	}
	return err
}

// id returns the column that identifies rows.
func (t shape) id(d *Database) string {
	if d.columns[t.Name][t.columns[0]] {
		return t.columns[0]
	}
	return "rowid"
}

// texts returns the SQL expressions of the columns.
func (t shape) texts(d *Database) []string {
	out := make([]string, len(t.columns))
	for i, c := range t.columns {
		out[i] = t.column(d, c)
	}
	return out
}

func (t shape) column(d *Database, name string) string {
	switch {
	case name == t.columns[0]:
		name = t.id(d)
	case !d.columns[t.Name][name]:
		return "NULL"
	case name == "raw_bytes":
		return name
	}
	return "CAST(" + name + " AS TEXT)"
}

// row is a row as texts.
type row []sql.NullString

func (r row) text(i int) string { return r[i].String }

func (r row) num(i int) int64 {
	n, _ := strconv.ParseInt(r[i].String, 10, 64)
	return n
}

func (r row) real(i int) *float64 {
	f, err := strconv.ParseFloat(r[i].String, 64)
	if !r[i].Valid || err != nil {
		return nil
	}
	return &f
}
