package sqlite

import (
	"context"
	"os"
	"strings"

	"github.com/cairn-kb/cairn/internal/files/fsys"
	"github.com/cairn-kb/cairn/internal/store"
	"github.com/cairn-kb/cairn/internal/store/relational"
)

// Validate implements store.Validator.
func (d *DB) Validate(ctx context.Context) error {
	var found relational.Faults
	err := d.View(ctx, func(v store.Tx) error {
		t := v.(*tx)
		if err := d.structure(ctx, t.c, &found); err != nil || !found.None() {
			return err // queries on a broken structure add nothing
		}
		return t.Validate(ctx, &found)
	})
	if err != nil {
		return err
	}
	return found.Err(d.path)
}

// structure checks SQLite's own structures.
func (d *DB) structure(ctx context.Context, c *conn, found *relational.Faults) error {
	if err := d.wholePages(ctx, c, found); err != nil {
		return err
	}
	if err := c.query(ctx, "PRAGMA integrity_check", nil, func(r row) error {
		if r.Text(0) != "ok" {
			found.Add("structure: %s", r.Text(0))
		}
		return nil
	}); err != nil || !found.None() {
		return err
	}
	if err := foreignSchema(ctx, c, found); err != nil {
		return err
	}
	return c.query(ctx, "PRAGMA foreign_key_check", nil, func(r row) error {
		found.Add("row %d of %s refers to nothing", r.Int(1), r.Text(0))
		return nil
	})
}

// foreignSchema reports parts of the schema that no migration made, such as a trigger, which
// would run with each write, and parts that are missing.
func foreignSchema(ctx context.Context, c *conn, found *relational.Faults) error {
	const parts = `SELECT type, name, sql FROM sqlite_schema
		WHERE sql IS NOT NULL AND NOT (type = 'table' AND name IN ('migrations', 'sqlite_sequence', 'sqlite_stat1', 'sqlite_stat4'))`
	missing := strings.Count("\n"+newestSchema, "\nCREATE ")
	if err := c.query(ctx, parts, nil, func(r row) error {
		if strings.Contains(newestSchema, "\n"+r.Text(2)+";\n") {
			missing--
		} else {
			found.Add("schema: the %s %q is not of cairn", r.Text(0), r.Text(1))
		}
		return nil
	}); err != nil {
		return err
	}
	if missing > 0 {
		found.Add("schema: %d of its parts are missing", missing)
	}
	return nil
}

// wholePages reports a file that ends within a page: SQLite reads the rest as zeros, which
// is how many pages end.
func (d *DB) wholePages(ctx context.Context, c *conn, found *relational.Faults) error {
	if d.options.temporary {
		return nil // in memory, without files
	}
	var size int64
	if err := c.query(ctx, "PRAGMA page_size", nil, func(r row) error { size = r.Int(0); return nil }); err != nil {
		return err
	}
	info, err := os.Stat(d.path)
	if err != nil {
		return fsys.Explain(err, "look at the memory at %s", d.path)
	}
	if info.Size()%size != 0 {
		found.Add("structure: the file ends within a page")
	}
	return nil
}

// Sweep implements store.Validator.
func (d *DB) Sweep(ctx context.Context) error {
	return d.Update(ctx, func(v store.Tx) error { return v.(*tx).Sweep(ctx) })
}
