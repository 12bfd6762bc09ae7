package foreign

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/cairn-kb/cairn/internal/kb"
)

// Newest is the newest known version of the schema.
const Newest = 10

// Database is a database of quaid being read, in a single state. Small tables are read when
// it is opened, the others on demand.
type Database struct {
	Version     int // of its schema; 0 if unknown
	Collections []Collection
	Namespaces  []QuaidNamespace
	Other       []Count // tables that are not read, by name

	file    string
	reading *reading
	columns map[string]map[string]bool // by table
}

// Collection groups pages, and namespaces within it.
type Collection struct {
	ID     int64
	Name   string
	Target bool // new pages are added to it
}

// QuaidNamespace is a separate group of pages within collections.
type QuaidNamespace struct{ Name, Hours string }

// Page is the metadata of a page, without its text.
type Page struct {
	ID, Collection         int64
	Namespace, Slug, Title string
	SupersededBy           int64
}

// Text is the text of a page.
type Text struct {
	ID              int64
	Type, Created   string
	Truth, Timeline string
	Frontmatter     json.RawMessage
	Quarantined     string // the time when its file was missing
}

// QuaidLink is a link from one page to another.
type QuaidLink struct {
	ID, From, To          int64
	Type, Context, Kind   string
	ValidFrom, ValidUntil string
}

// Tag is a tag of a page.
type Tag struct {
	ID, Page int64
	Name     string
}

// Entry is an entry of a timeline in a table of its own.
type Entry struct {
	ID, Page                      int64
	Date, Source, Summary, Detail string
}

// Raw is the data of a page from a source.
type Raw struct {
	ID, Page              int64
	Source, Data, Fetched string
}

// Assertion is an assertion about a subject.
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

// Contradiction is a contradiction found between pages.
type Contradiction struct {
	ID, Page, Other          int64
	Type, Text, At, Resolved string
}

// Import is the original bytes of a page.
type Import struct {
	ID, Page int64
	Active   bool // the last active one has the newest bytes of the page
	Bytes    []byte
}

// Count is the number of rows of a table.
type Count struct {
	Name string
	Rows int
}

// OpenQuaid opens the database in a file, with its log. A file that is not a database, or is
// damaged, is kb.Invalid, either here or when the damage is read.
func OpenQuaid(ctx context.Context, file string) (*Database, error) {
	d := &Database{file: file, columns: map[string]map[string]bool{}}
	var err error
	if d.reading, err = begin(ctx, file); err == nil {
		err = d.look(ctx)
	}
	if err != nil {
		return nil, errors.Join(d.unreadable(err), d.Close())
	}
	return d, nil
}

// Close closes the database.
func (d *Database) Close() error {
	if d.reading == nil {
		return nil
	}
	return d.reading.close()
}

// Unchanged returns kb.Conflict if the database was written to since it was opened, so that
// the rows may be of several states.
func (d *Database) Unchanged() error { return d.reading.done() }

func (d *Database) unreadable(err error) error {
	if e := (*kb.Error)(nil); errors.As(err, &e) || errors.Is(err, context.Canceled) {
		return err
	}
	return kb.Errorf(kb.Invalid, "%s cannot be read as a database of quaid: %w", d.file, err).
		WithHint("Nothing was written. It is usually memory.db in ~/.quaid.")
}

// look records the existing tables and columns, and reads the small tables.
func (d *Database) look(ctx context.Context) error {
	var size int64
	if err := d.reading.QueryRowContext(ctx, "PRAGMA page_size").Scan(&size); err != nil {
		return err
	}
	if size == 0 || d.reading.before.size%size != 0 {
		return errors.New("its end is missing")
	}
	err := d.query(ctx, `SELECT m.name, c.name FROM sqlite_master m JOIN pragma_table_info(m.name) c WHERE m.type = 'table'
 AND m.sql NOT LIKE 'CREATE VIRTUAL TABLE%' AND m.name NOT LIKE 'sqlite_%'`, 2, func(x row) error {
		table := x.text(0)
		if d.columns[table] == nil {
			d.columns[table] = map[string]bool{}
		}
		d.columns[table][x.text(1)] = true
		return nil
	})
	if err != nil {
		return err
	}
	for _, column := range []string{"slug", "compiled_truth"} {
		if !d.columns[Pages.Name][column] {
			return fmt.Errorf("it has no column %s of a table pages", column)
		}
	}
	for _, at := range [][2]string{{"config", "version"}, {"quaid_config", "schema_version"}} {
		settings := Table[[2]string]{shape: shape{Name: at[0], columns: []string{"key", "value"}}, read: func(_ *Database, x row) [2]string { return [2]string{x.text(0), x.text(1)} }}
		err := settings.Each(ctx, d, func(s [2]string) error {
			if s[0] == at[1] {
				d.Version, _ = strconv.Atoi(s[1])
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	err = collections.Each(ctx, d, func(c Collection) error {
		d.Collections = append(d.Collections, c)
		return nil
	})
	if err == nil {
		err = namespaces.Each(ctx, d, func(n QuaidNamespace) error {
			d.Namespaces = append(d.Namespaces, n)
			return nil
		})
	}
	if err == nil {
		err = d.others(ctx)
	}
	return err
}

// query calls f with each row of a query, as texts, until f fails.
func (d *Database) query(ctx context.Context, query string, columns int, f func(row) error) (err error) {
	rows, err := d.reading.QueryContext(ctx, query)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	values, into := make(row, columns), make([]any, columns)
	for i := range values {
		into[i] = &values[i]
	}
	for rows.Next() {
		if err := rows.Scan(into...); err != nil {
			return err
		}
		if err := f(values); err != nil {
			return err
		}
	}
	return rows.Err()
}

// others counts the rows of the tables that are not read, except those of the full-text
// index and of vectors.
func (d *Database) others(ctx context.Context) error {
	read := []string{
		Pages.Name, Links.Name, Tags.Name, Entries.Name, RawData.Name, Assertions.Name, Imports.Name, Gaps.Name, Contradictions.Name, collections.Name, namespaces.Name,
	}
	for _, name := range slices.Sorted(maps.Keys(d.columns)) {
		if slices.Contains(read, name) || strings.HasPrefix(name, "page_fts_") || strings.HasPrefix(name, "page_embeddings_vec_") {
			continue
		}
		t := Count{Name: name}
		if err := d.reading.QueryRowContext(ctx, `SELECT count(*) FROM "`+strings.ReplaceAll(name, `"`, `""`)+`"`).Scan(&t.Rows); err != nil {
			return fmt.Errorf("table %s: %w", name, err)
		}
		if t.Rows > 0 {
			d.Other = append(d.Other, t)
		}
	}
	return nil
}
