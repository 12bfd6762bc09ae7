package sqlite

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"time"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/store/relational"
)

// applicationID marks the file as a cairn memory ("cair" in ASCII).
const applicationID = 0x63616972

// pageSize of new databases. A first sync takes a seventh less processor time
// than with SQLite's 4,096, and one-row transactions hardly more.
const pageSize = 8192

//go:embed migrations/*.sql
var embedded embed.FS

// newestSchema is the schema that all migrations produce in an empty database. Running it
// takes a fraction of their time. TestNewestSchema compares the two, and writes it with
// -update.
//
//go:embed newest.sql
var newestSchema string

// newestTitle is the first line of newestSchema.
func newestTitle(last migration) string {
	return fmt.Sprintf("-- The schema after migration %04d_%s, %s.\n", last.Number, last.Name, last.Checksum)
}

// migration is one step of the schema.
type migration = relational.Migration

func readMigrations(fsys fs.FS) ([]migration, error) { return relational.ReadMigrations(fsys) }

// schemaState describes the schema of a database.
type schemaState struct {
	application int64
	version     int
	tables      int
	applied     map[int]string // checksum by number
}

func readSchema(ctx context.Context, c *conn) (schemaState, error) {
	s := schemaState{applied: map[int]string{}}
	hasMigrations := false
	err := errors.Join(
		c.query(ctx, "PRAGMA application_id", nil, func(r row) error { s.application = r.Int(0); return nil }),
		c.query(ctx, "PRAGMA user_version", nil, func(r row) error { s.version = r.Num(0); return nil }),
		c.query(ctx, "SELECT count(*), coalesce(sum(name = 'migrations'), 0) FROM sqlite_schema", nil, func(r row) error {
			s.tables, hasMigrations = r.Num(0), r.Int(1) > 0
			return nil
		}))
	if err != nil || !hasMigrations {
		return s, err
	}
	err = c.query(ctx, "SELECT number, checksum FROM migrations", nil, func(r row) error {
		s.applied[r.Num(0)] = r.Text(1)
		return nil
	})
	return s, err
}

// readSchemaOnce reads the schema in a single transaction, since another process may be
// creating it.
func readSchemaOnce(ctx context.Context, c *conn) (schemaState, error) {
	if _, err := c.exec(ctx, "BEGIN"); err != nil {
		return schemaState{}, err
	}
	s, err := readSchema(ctx, c)
	_, e := c.exec(context.WithoutCancel(ctx), "ROLLBACK")
	return s, errors.Join(err, e)
}

// empty reports whether nothing was ever stored in the database.
func (s schemaState) empty() bool { return s.application == 0 && s.version == 0 && s.tables == 0 }

// check reports whether the database can be used with these migrations, and which of them
// are missing.
func (s schemaState) check(path string, all []migration) (missing []migration, err error) {
	if s.empty() {
		return all, nil
	}
	if s.application != applicationID {
		return nil, kb.Errorf(kb.Damaged, "%s is a database of another program; it was not touched", path).
			WithReason(kb.ForeignDatabase)
	}
	if newest := all[len(all)-1].Number; s.version > newest {
		return nil, kb.Errorf(kb.Damaged,
			"the memory at %s has schema %d, and this cairn knows schemas up to %d; it was not touched", path, s.version, newest).
			WithReason(kb.NewerSchema).
			With("schema", s.version).With("supported", newest)
	}
	for _, m := range all[:s.version] {
		if s.applied[m.Number] != m.Checksum {
			return nil, kb.Errorf(kb.Damaged,
				"the memory at %s was made with another text of migration %04d_%s; it was not touched", path, m.Number, m.Name).
				WithHint("use the cairn that made it, or restore a backup")
		}
	}
	return all[s.version:], nil
}

// prepare checks the database and upgrades its schema. Usually this takes three short reads
// on the connection that the first View uses.
func (d *DB) prepare(ctx context.Context) error {
	all, err := readMigrations(embedded)
	if err != nil {
		return kb.Errorf(kb.Internal, "embedded migrations: %w", err)
	}
	return d.prepareWith(ctx, all)
}

func (d *DB) prepareWith(ctx context.Context, all []migration) error {
	c, err := d.connect(ctx, false)
	if err != nil {
		return err
	}
	defer d.release(c)
	var state schemaState
	if err := d.retry(ctx, func() (err error) { state, err = readSchemaOnce(ctx, c); return err }); err != nil {
		return err
	}
	missing, err := state.check(d.path, all)
	if err != nil {
		return err
	}
	d.schema = all[len(all)-1].Number
	if len(missing) == 0 {
		return nil
	}
	if err := d.Unwritable(); err != nil {
		return err
	}
	if d.options.ReadOnly {
		return kb.Errorf(kb.Damaged, "the memory at %s has schema %d and needs %d", d.path, state.version, all[len(all)-1].Number).
			WithHint("open it once for writing to bring it up to date")
	}
	return d.migrate(ctx, all)
}

// migrate applies the missing migrations in one transaction. Other processes that open the
// same database wait for it and then have nothing to do.
func (d *DB) migrate(ctx context.Context, all []migration) (err error) {
	w, err := d.lockWriter(ctx)
	if err != nil {
		return err
	}
	defer d.unlockWriter()
	// The mode is stored in the file. Two processes that set it at once get SQLITE_BUSY
	// without a wait, hence the retry. The page size is set with it because it only takes
	// effect in an empty database.
	setUp := fmt.Sprintf("PRAGMA page_size = %d; PRAGMA journal_mode = WAL", pageSize)
	if err := d.retry(ctx, func() error { return w.interruptible(ctx, setUp) }); err != nil {
		return err
	}
	// A table with references to it can be rebuilt only without foreign keys, which cannot
	// be switched off within a transaction. verifyMigrated checks them.
	if _, err := w.exec(ctx, "PRAGMA foreign_keys = OFF"); err != nil {
		return err
	}
	defer func() {
		_, e := w.exec(context.WithoutCancel(ctx), "PRAGMA foreign_keys = ON")
		err = errors.Join(err, e)
	}()
	if err := d.begin(ctx, w, time.Now().Add(d.options.BusyTime)); err != nil {
		return err
	}
	if err := d.migrateLocked(ctx, w, all); err != nil {
		_, e := w.exec(context.WithoutCancel(ctx), "ROLLBACK")
		return errors.Join(err, e)
	}
	_, err = w.exec(context.WithoutCancel(ctx), "COMMIT")
	return err
}

func (d *DB) migrateLocked(ctx context.Context, w *conn, all []migration) error {
	state, err := readSchema(ctx, w) // another process may have been faster
	if err != nil {
		return err
	}
	missing, err := state.check(d.path, all)
	if err != nil || len(missing) == 0 {
		return err
	}
	if !state.empty() && !d.options.disposable {
		// The lock is held, so the copy equals the state before the migration.
		if err := d.backup(ctx, d.BackupPath(state.version)); err != nil {
			return err
		}
	}
	const bookkeeping = `CREATE TABLE IF NOT EXISTS migrations (
  number   INTEGER PRIMARY KEY,
  name     TEXT NOT NULL,
  checksum TEXT NOT NULL,
  applied  INTEGER NOT NULL
) STRICT`
	if _, err := w.exec(ctx, bookkeeping); err != nil {
		return err
	}
	newest, known := strings.CutPrefix(newestSchema, newestTitle(all[len(all)-1]))
	if known = known && state.empty(); known {
		if err := w.interruptible(ctx, newest); err != nil {
			return kb.Errorf(kb.Internal, "the newest schema: %w", err)
		}
	}
	for _, m := range missing {
		if !known {
			if err := w.interruptible(ctx, m.SQL); err != nil {
				return kb.Errorf(kb.Internal, "migration %04d_%s: %w", m.Number, m.Name, err)
			}
		}
		if _, err := w.exec(ctx, "INSERT INTO migrations VALUES (?, ?, ?, ?)",
			m.Number, m.Name, m.Checksum, d.options.Clock().UnixMicro()); err != nil {
			return err
		}
	}
	if err := verifyMigrated(ctx, w); err != nil {
		return err
	}
	for _, pragma := range []string{
		fmt.Sprintf("PRAGMA application_id = %d", applicationID),
		fmt.Sprintf("PRAGMA user_version = %d", all[len(all)-1].Number),
	} {
		if _, err := w.exec(ctx, pragma); err != nil {
			return err
		}
	}
	return nil
}

// verifyMigrated fails if a migration left dangling references.
func verifyMigrated(ctx context.Context, w *conn) error {
	return w.query(ctx, "PRAGMA foreign_key_check", nil, func(r row) error {
		return kb.Errorf(kb.Internal, "migration left a row of %s that refers to nothing", r.Text(0))
	})
}

// current fails within a transaction if another process has changed the schema since the
// memory was opened: this version of cairn does not know the meaning of its rows then.
func (d *DB) current(ctx context.Context, c *conn) error {
	version := 0
	err := c.query(ctx, "PRAGMA user_version", nil, func(r row) error { version = r.Num(0); return nil })
	if err != nil || version == d.schema {
		return err
	}
	return kb.Errorf(kb.Damaged, "another cairn brought the memory at %s to schema %d while this process had it open, which knows schema %d", d.path, version, d.schema).
		WithHint("Nothing was changed by this. Start cairn again, the newer one: agents' clients do so when they reconnect.").
		With("schema", version).With("supported", d.schema)
}

// BackupPath is the path of the copy made before migrating from a schema.
func (d *DB) BackupPath(schema int) string {
	return backupPath(d.path, schema)
}

func backupPath(path string, schema int) string {
	return fmt.Sprintf("%s.schema-%d.backup", path, schema)
}
