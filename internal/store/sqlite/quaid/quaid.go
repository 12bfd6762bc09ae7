package quaid

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/store/sqlite/foreign"
)

// Newest is the newest version of the schema that was seen.
const Newest = 10

// Store is what a database of quaid holds.
type Store struct {
	Version        int // of its schema; 0 where it does not say
	Collections    []Collection
	Namespaces     []Namespace
	Pages          []Page
	Links          []Link
	Tags           []Tag
	Entries        []Entry
	Raw            []Raw
	Assertions     []Assertion
	Gaps           []Gap
	Contradictions []Contradiction
	Imports        []Import
	Other          []Table // the tables that none of these was read from, by name
}

// Collection groups pages, and namespaces within it.
type Collection struct {
	ID     int64
	Name   string
	Target bool // new pages go there
}

// Namespace is a group of pages of its own within collections.
type Namespace struct{ Name, Hours string }

// Page is a page.
type Page struct {
	ID, Collection   int64
	Namespace, Slug  string
	Type, Title      string
	Truth, Timeline  string
	Frontmatter      json.RawMessage
	Created, Updated string
	Quarantined      string // when its file was gone
	SupersededBy     int64
}

// Link leads from a page to one.
type Link struct {
	ID, From, To          int64
	Type, Context, Kind   string
	ValidFrom, ValidUntil string
}

// Tag is a tag of a page.
type Tag struct {
	ID, Page int64
	Name     string
}

// Entry is an entry of a timeline that stands in a table of its own.
type Entry struct {
	ID, Page                      int64
	Date, Source, Summary, Detail string
}

// Raw is what a source gave of a page.
type Raw struct {
	ID, Page              int64
	Source, Data, Fetched string
}

// Assertion is something that is asserted of a subject.
type Assertion struct {
	ID, Page, Supersedes       int64
	Subject, Predicate, Object string
	ValidFrom, ValidUntil      string
	Confidence                 *float64
	By, Source, Evidence       string
	Created                    string
}

// Gap is a question that could not be answered.
type Gap struct {
	ID, Page                        int64
	Hash, Text, Context             string
	Score                           *float64
	Sensitivity, Approver, Approved string
	Redacted, Resolved, Slug        string
	Detected                        string
}

// Contradiction is what was found between pages.
type Contradiction struct {
	ID, Page, Other          int64
	Type, Text, At, Resolved string
}

// Import is the bytes from which a page came.
type Import struct {
	ID, Page    int64
	Batch, Path string
	Active      bool // they are the newest of the page
	Bytes       []byte
}

// Table is a table and how many rows it has.
type Table struct {
	Name string
	Rows int
}

// Read reads the database in a file, with the log beside it. One that is none, or is
// damaged, is kb.Invalid; one that is written to meanwhile is kb.Conflict.
func Read(ctx context.Context, file string) (*Store, error) {
	before, err := stamp(file)
	if err != nil {
		return nil, err
	}
	var s Store
	err = isDatabase(file)
	if err == nil {
		err = s.read(ctx, file, before)
	}
	if err != nil {
		return nil, unreadable(file, err)
	}
	after, err := stamp(file)
	if err == nil && before.log == 0 && after != before {
		err = kb.Errorf(kb.Conflict, "%s changed while it was read", file).WithHint("Nothing was written. Stop quaid, and import again.")
	}
	return &s, err
}

// stamped is what tells whether a file changed.
type stamped struct {
	size, log int64
	time      time.Time
}

func stamp(file string) (s stamped, err error) {
	info, err := os.Stat(file)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return s, kb.Errorf(kb.NotFound, "there is no file %s", file)
	case err != nil:
		return s, kb.Errorf(kb.Invalid, "%s cannot be read: %w", file, err)
	case !info.Mode().IsRegular():
		return s, kb.Errorf(kb.Invalid, "%s is no file", file).WithHint("Name the database: memory.db.")
	}
	s.size, s.time = info.Size(), info.ModTime()
	if log, err := os.Stat(file + "-wal"); err == nil {
		s.log = log.Size()
	}
	return s, nil
}

// isDatabase says what is wrong with a file that does not begin as databases do.
func isDatabase(file string) (err error) {
	f, err := os.Open(file)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	const magic = "SQLite format 3\x00"
	head := make([]byte, len(magic))
	if _, err := io.ReadFull(f, head); err != nil || string(head) != magic {
		return errors.New("it is no SQLite database")
	}
	return nil
}

func unreadable(file string, err error) error {
	if e := (*kb.Error)(nil); errors.As(err, &e) && e.Code != kb.Invalid || errors.Is(err, context.Canceled) {
		return err
	}
	return kb.Errorf(kb.Invalid, "%s cannot be read as a database of quaid: %w", file, err).
		WithHint("Nothing was written. It is usually memory.db in ~/.quaid.")
}

// read reads all tables in one transaction. A database without a log is opened as one
// that does not change, which leaves nothing beside it.
func (s *Store) read(ctx context.Context, file string, is stamped) (err error) {
	db, err := foreign.Open(file, is.log == 0)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	tx, err := db.BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }() // it only read
	var page int64
	if err := tx.QueryRowContext(ctx, "PRAGMA page_size").Scan(&page); err != nil {
		return err
	}
	if page == 0 || is.size%page != 0 {
		return errors.New("its end is missing")
	}
	r := &reader{ctx: ctx, tx: tx, tables: map[string]map[string]bool{}}
	if err := r.look(); err != nil {
		return err
	}
	for _, column := range []string{"slug", "compiled_truth"} {
		if !r.tables["pages"][column] {
			return fmt.Errorf("it has no column %s of a table pages", column)
		}
	}
	for _, read := range []func(*reader) error{
		s.version, s.collections, s.namespaces, s.pages, s.links, s.tags, s.entries, s.raw, s.assertions, s.gaps, s.contradictions, s.imports,
	} {
		if err := read(r); err != nil {
			return err
		}
	}
	s.Other, err = r.others()
	return err
}

// reader reads tables by the columns that they have.
type reader struct {
	ctx    context.Context
	tx     *sql.Tx
	tables map[string]map[string]bool // the columns, by table
	done   map[string]bool
}

// look notes which tables and columns there are.
func (r *reader) look() error {
	r.done = map[string]bool{}
	return r.each(`SELECT m.name, c.name FROM sqlite_master m JOIN pragma_table_info(m.name) c WHERE m.type = 'table'
 AND m.sql NOT LIKE 'CREATE VIRTUAL TABLE%' AND m.name NOT LIKE 'sqlite_%'`, func(scan func(...any) error) error {
		var table, column string
		err := scan(&table, &column)
		if r.tables[table] == nil {
			r.tables[table] = map[string]bool{}
		}
		r.tables[table][column] = true
		return err
	})
}

// each calls f for each row of a query.
func (r *reader) each(query string, f func(scan func(...any) error) error) (err error) {
	rows, err := r.tx.QueryContext(r.ctx, query)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		if err := f(rows.Scan); err != nil {
			return err
		}
	}
	return rows.Err()
}

// table reads the rows of a table, as texts, if it is there. A column that is not there
// is as one that is empty.
func (r *reader) table(name string, columns []string, f func(row)) error {
	r.done[name] = true
	have := r.tables[name]
	if have == nil {
		return nil
	}
	list := make([]string, len(columns))
	order := ""
	if have["id"] {
		order = " ORDER BY id"
	}
	for i, c := range columns {
		switch {
		case !have[c]:
			list[i] = "NULL"
		case c == "raw_bytes":
			list[i] = c
		default:
			list[i] = "CAST(" + c + " AS TEXT)"
		}
	}
	values, into := make([]sql.NullString, len(columns)), make([]any, len(columns))
	for i := range values {
		into[i] = &values[i]
	}
	err := r.each("SELECT "+strings.Join(list, ", ")+" FROM "+name+order, func(scan func(...any) error) error {
		if err := scan(into...); err != nil {
			return err
		}
		f(row(values))
		return nil
	})
	if err != nil {
		return fmt.Errorf("table %s: %w", name, err)
	}
	return nil
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

func (s *Store) version(r *reader) error {
	for _, at := range [][2]string{{"config", "version"}, {"quaid_config", "schema_version"}} {
		err := r.table(at[0], []string{"key", "value"}, func(x row) {
			if x.text(0) == at[1] {
				s.Version = int(x.num(1))
			}
		})
		if err != nil {
			return err
		}
		delete(r.done, at[0])
	}
	return nil
}

func (s *Store) collections(r *reader) error {
	return r.table("collections", []string{"id", "name", "is_write_target"}, func(x row) {
		s.Collections = append(s.Collections, Collection{ID: x.num(0), Name: x.text(1), Target: x.num(2) == 1})
	})
}

func (s *Store) namespaces(r *reader) error {
	return r.table("namespaces", []string{"id", "ttl_hours"}, func(x row) {
		s.Namespaces = append(s.Namespaces, Namespace{Name: x.text(0), Hours: x.text(1)})
	})
}

func (s *Store) pages(r *reader) error {
	columns := []string{
		"id", "collection_id", "namespace", "slug", "type", "title", "compiled_truth", "timeline", "frontmatter", "created_at", "updated_at",
		"quarantined_at", "superseded_by",
	}
	return r.table("pages", columns, func(x row) {
		s.Pages = append(s.Pages, Page{
			ID: x.num(0), Collection: x.num(1), Namespace: x.text(2), Slug: x.text(3), Type: x.text(4), Title: x.text(5), Truth: x.text(6), Timeline: x.text(7),
			Frontmatter: json.RawMessage(x.text(8)), Created: x.text(9), Updated: x.text(10), Quarantined: x.text(11), SupersededBy: x.num(12),
		})
	})
}

func (s *Store) links(r *reader) error {
	columns := []string{"id", "from_page_id", "to_page_id", "relationship", "context", "source_kind", "valid_from", "valid_until"}
	return r.table("links", columns, func(x row) {
		s.Links = append(s.Links, Link{
			ID: x.num(0), From: x.num(1), To: x.num(2), Type: x.text(3), Context: x.text(4), Kind: x.text(5), ValidFrom: x.text(6), ValidUntil: x.text(7),
		})
	})
}

func (s *Store) tags(r *reader) error {
	return r.table("tags", []string{"id", "page_id", "tag"}, func(x row) { s.Tags = append(s.Tags, Tag{x.num(0), x.num(1), x.text(2)}) })
}

func (s *Store) entries(r *reader) error {
	return r.table("timeline_entries", []string{"id", "page_id", "date", "source", "summary", "detail"}, func(x row) {
		s.Entries = append(s.Entries, Entry{x.num(0), x.num(1), x.text(2), x.text(3), x.text(4), x.text(5)})
	})
}

func (s *Store) raw(r *reader) error {
	return r.table("raw_data", []string{"id", "page_id", "source", "data", "fetched_at"}, func(x row) {
		s.Raw = append(s.Raw, Raw{x.num(0), x.num(1), x.text(2), x.text(3), x.text(4)})
	})
}

func (s *Store) assertions(r *reader) error {
	columns := []string{
		"id", "page_id", "supersedes_id", "subject", "predicate", "object", "valid_from", "valid_until", "confidence", "asserted_by", "source_ref", "evidence_text", "created_at",
	}
	return r.table("assertions", columns, func(x row) {
		s.Assertions = append(s.Assertions, Assertion{
			ID: x.num(0), Page: x.num(1), Supersedes: x.num(2), Subject: x.text(3), Predicate: x.text(4), Object: x.text(5), ValidFrom: x.text(6),
			ValidUntil: x.text(7), Confidence: x.real(8), By: x.text(9), Source: x.text(10), Evidence: x.text(11), Created: x.text(12),
		})
	})
}

func (s *Store) gaps(r *reader) error {
	columns := []string{
		"id", "page_id", "query_hash", "query_text", "context", "confidence_score", "sensitivity", "approved_by", "approved_at", "redacted_query", "resolved_at",
		"resolved_by_slug", "detected_at",
	}
	return r.table("knowledge_gaps", columns, func(x row) {
		s.Gaps = append(s.Gaps, Gap{
			ID: x.num(0), Page: x.num(1), Hash: x.text(2), Text: x.text(3), Context: x.text(4), Score: x.real(5), Sensitivity: x.text(6), Approver: x.text(7),
			Approved: x.text(8), Redacted: x.text(9), Resolved: x.text(10), Slug: x.text(11), Detected: x.text(12),
		})
	})
}

func (s *Store) contradictions(r *reader) error {
	return r.table("contradictions", []string{"id", "page_id", "other_page_id", "type", "description", "detected_at", "resolved_at"}, func(x row) {
		s.Contradictions = append(s.Contradictions, Contradiction{x.num(0), x.num(1), x.num(2), x.text(3), x.text(4), x.text(5), x.text(6)})
	})
}

func (s *Store) imports(r *reader) error {
	active := map[int64]int{}
	err := r.table("raw_imports", []string{"id", "page_id", "import_id", "file_path", "is_active", "raw_bytes"}, func(x row) {
		in := Import{ID: x.num(0), Page: x.num(1), Batch: x.text(2), Path: x.text(3), Bytes: []byte(x.text(5))}
		if !r.tables["raw_imports"]["is_active"] || x.num(4) == 1 {
			active[in.Page] = len(s.Imports)
		}
		s.Imports = append(s.Imports, in)
	})
	for _, i := range active {
		s.Imports[i].Active = true
	}
	return err
}

// others counts the rows of the tables that were not read, those of the full text index
// and of vectors left out.
func (r *reader) others() (out []Table, err error) {
	var names []string
	err = r.each("SELECT name FROM sqlite_master WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL TABLE%' AND name NOT LIKE 'sqlite_%' ORDER BY name",
		func(scan func(...any) error) error {
			var name string
			err := scan(&name)
			names = append(names, name)
			return err
		})
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		if r.done[name] || strings.HasPrefix(name, "page_fts_") || strings.HasPrefix(name, "page_embeddings_vec_") {
			continue
		}
		t := Table{Name: name}
		err := r.tx.QueryRowContext(r.ctx, `SELECT count(*) FROM "`+strings.ReplaceAll(name, `"`, `""`)+`"`).Scan(&t.Rows)
		if err != nil {
			return nil, fmt.Errorf("table %s: %w", name, err)
		}
		if t.Rows > 0 {
			out = append(out, t)
		}
	}
	return out, nil
}
