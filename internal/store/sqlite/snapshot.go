package sqlite

import (
	"context"
	"errors"
	"slices"
	"strings"

	sqlitedriver "modernc.org/sqlite"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/store"
	"github.com/cairn-kb/cairn/internal/store/relational"
)

// snapshotPages is the number of pages copied between checks of the context.
const snapshotPages = 8192

// Snapshot implements store.Snapshotter. It copies the pages of the file, which takes a
// tenth of the time of copying rows.
func (d *DB) Snapshot(ctx context.Context, o store.Options) (_ store.Engine, err error) {
	out, err := OpenTemporary(ctx, Options{Clock: o.Clock})
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, out.Close())
		}
	}()
	if err := d.View(ctx, func(t store.Tx) error {
		own, ok := t.(*tx)
		if !ok {
			return kb.Errorf(kb.Internal, "a view of the memory has the type %T", t)
		}
		return own.c.copyPages(ctx, dsn(out.path, true, false, writerWait)+"&vfs=memdb&_pragma=locking_mode(EXCLUSIVE)")
	}); err != nil {
		return nil, err
	}
	w, err := out.lockWriter(ctx)
	if err != nil {
		return nil, out.public(err)
	}
	defer out.unlockWriter()
	return out, out.public(w.interruptible(ctx, onlyOfDocuments()))
}

// ofDocuments are the tables of a snapshot: the spaces, everything derived from their
// documents, and the models with their vectors.
var ofDocuments = []string{
	"spaces", "documents", "pages", "names", "tags", "links", "observations", "entries", "warnings", "properties", "items",
	"endings", "assertions", "lexical_segments", "lexical_pages", "models", "embedded", "bundles", "spare_vectors",
}

// onlyOfDocuments returns the statements that empty all other tables, in the order of
// references.
func onlyOfDocuments() string {
	var sql strings.Builder
	sql.WriteString("BEGIN IMMEDIATE; DELETE FROM journal; ")
	for _, table := range slices.Backward(relational.Tables()) {
		if !slices.Contains(ofDocuments, table) {
			sql.WriteString("DELETE FROM " + table + "; ")
		}
	}
	sql.WriteString("UPDATE models SET active = 0; COMMIT")
	return sql.String()
}

// copyPages replaces the database with this name by the database of the connection, as its
// transaction sees it.
func (c *conn) copyPages(ctx context.Context, name string) (err error) {
	// A read starts the transaction, so that the copy is a snapshot even if others
	// write in the meantime.
	if err := c.query(ctx, "SELECT 1 FROM sqlite_schema LIMIT 1", nil, func(row) error { return nil }); err != nil {
		return err
	}
	from, ok := c.raw.(interface {
		NewBackup(name string) (*sqlitedriver.Backup, error)
	})
	if !ok {
		return errors.New("the driver of SQLite cannot copy a database")
	}
	b, err := from.NewBackup(name)
	if err != nil {
		return err
	}
	for more := true; more && err == nil; {
		if err = ctx.Err(); err == nil {
			more, err = b.Step(snapshotPages)
		}
	}
	if err != nil {
		return errors.Join(err, b.Finish())
	}
	raw, err := b.Commit()
	if err != nil {
		return err
	}
	to := &conn{raw: raw, stmts: make(map[string]*stmt)}
	// The first page declares a log, which a database in memory cannot have.
	return errors.Join(to.interruptible(ctx, "PRAGMA journal_mode = DELETE"), to.close())
}
