package sqlite

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// A new memory is what the migrations, one after the other, would have made of it.
func TestNewestSchema(t *testing.T) {
	t.Parallel()
	all := embeddedMigrations(t)
	last := all[len(all)-1]
	steps := last
	steps.Checksum = "another" // so that newestSchema is not used
	migrated, err := openWith(t, filepath.Join(t.TempDir(), "memory.db"), append(all[:len(all)-1:len(all)-1], steps))
	if err != nil {
		t.Fatal(err)
	}
	want := newestTitle(last) + dump(t, migrated)
	if *update {
		if err := os.WriteFile("newest.sql", []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(want, newestSchema); diff != "" {
		t.Fatalf("newest.sql differs; -update writes it (-want +got):\n%s", diff)
	}
	made := open(t)
	if diff := cmp.Diff(want, newestTitle(last)+dump(t, made)); diff != "" {
		t.Errorf("a new memory differs (-want +got):\n%s", diff)
	}
	if s := readSchemaOf(t, made.path); s.version != last.Number || len(s.applied) != last.Number || s.applied[last.Number] != last.Checksum {
		t.Errorf("it has schema %d and %d migrations", s.version, len(s.applied))
	}
}

// dump returns the schema of a database and the rows of its tables as SQL, without the
// table of migrations.
func dump(t *testing.T, db *DB) string {
	t.Helper()
	ctx := context.Background()
	c, err := connect(dsn(db.path, true, true, 0))
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := c.close(); err != nil {
			t.Error(err)
		}
	}()
	var out strings.Builder
	var tables []string
	// SQLite makes its own tables by itself, and of those only the counters of rows are data.
	const schema = `SELECT type, name, sql FROM sqlite_schema WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite_%' AND name <> 'migrations' ORDER BY type <> 'table', rowid`
	if err := c.query(ctx, schema, nil, func(r row) error {
		if r.Text(0) == "table" {
			tables = append(tables, r.Text(1))
		}
		out.WriteString(r.Text(2) + ";\n")
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	for _, table := range append(tables, "sqlite_sequence") {
		var columns []string
		if err := c.query(ctx, "SELECT name FROM pragma_table_info(?)", []any{table}, func(r row) error { columns = append(columns, r.Text(0)); return nil }); err != nil {
			t.Fatal(err)
		}
		quoted := "quote(" + strings.Join(columns, ") || ', ' || quote(") + ")"
		if err := c.query(ctx, fmt.Sprintf("SELECT %s FROM %s", quoted, table), nil, func(r row) error {
			fmt.Fprintf(&out, "INSERT INTO %s (%s) VALUES (%s);\n", table, strings.Join(columns, ", "), r.Text(0))
			return nil
		}); err != nil {
			t.Fatal(err)
		}
	}
	return out.String()
}
