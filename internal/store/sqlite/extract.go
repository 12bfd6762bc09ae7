package sqlite

import (
	"context"
	"errors"
	"os"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/store"
)

// extract copies the memory at file to a new file, part, with the newest schema: one valid,
// durable file without a log, readable only by its owner. file is unchanged.
//
// Unfinished writes are left out: they would be completed against documents that have
// changed since file was written.
//
// kb.Damaged if file is not a memory, is damaged, or was made by a newer cairn. After any
// error, part and files named after it may remain.
func extract(ctx context.Context, file, part string, o Options) (store.Info, error) {
	from, err := extracting(file, o)
	if err != nil {
		return store.Info{}, err
	}
	if err := from.extractTo(ctx, part); err != nil {
		return store.Info{}, from.public(err)
	}
	o.MustExist, o.disposable = true, true
	to, err := Open(ctx, part, o)
	if err != nil {
		return store.Info{}, err
	}
	info, err := to.finishExtract(ctx)
	if err := errors.Join(err, to.Close()); err != nil {
		return store.Info{}, err
	}
	return info, syncFile(part)
}

// extracting returns a handle for copying only. It never migrates.
func extracting(file string, o Options) (*DB, error) {
	if o.BusyTime == 0 {
		o.BusyTime = store.BusyTime
	}
	o.ReadOnly = true
	d := newDB(file, o)
	return d, d.ensureFile()
}

func (d *DB) extractTo(ctx context.Context, part string) error {
	all, err := readMigrations(embedded)
	if err != nil {
		return kb.Errorf(kb.Internal, "embedded migrations: %w", err)
	}
	c, err := d.connectToCopy(ctx)
	if err != nil {
		return err
	}
	err = d.copyChecked(ctx, c, all, part)
	return errors.Join(err, c.close())
}

// connectToCopy opens a file that may be on a read-only disk, such as a disk with backups. A
// file without a log is not open anywhere, so it can be read without the files that SQLite
// creates next to it.
func (d *DB) connectToCopy(ctx context.Context) (*conn, error) {
	for _, suffix := range logSuffixes {
		if _, err := os.Stat(d.path + suffix); err == nil {
			var c *conn
			name := dsn(d.path, true, false, d.options.BusyTime)
			err = d.retry(ctx, func() (err error) { c, err = connect(name); return err })
			return c, err
		}
	}
	return connect(dsn(d.path, true, true, d.options.BusyTime) + "&immutable=1")
}

func (d *DB) copyChecked(ctx context.Context, c *conn, all []migration, part string) error {
	state, err := readSchemaOnce(ctx, c)
	if err != nil {
		return err
	}
	if state.empty() {
		return kb.Errorf(kb.Damaged, "%s is empty, and holds no memory", d.path).WithHint("name another backup; nothing was changed")
	}
	if _, err := state.check(d.path, all); err != nil {
		return err
	}
	if err := d.touch(part); err != nil {
		return err
	}
	if err := c.interruptible(ctx, "VACUUM INTO ?", part); err != nil {
		return err
	}
	return d.setLog(ctx, part)
}

// finishExtract checks a copy and removes the unfinished writes.
func (d *DB) finishExtract(ctx context.Context) (store.Info, error) {
	if err := d.Validate(ctx); err != nil {
		return store.Info{}, err
	}
	err := d.Update(ctx, func(tx store.Tx) error {
		entries, err := tx.Journal().Pending(ctx)
		for _, e := range entries {
			err = errors.Join(err, tx.Journal().Clear(ctx, e.ID))
		}
		return err
	})
	if err != nil {
		return store.Info{}, err
	}
	return d.Info(ctx)
}

// foldLog merges the log of the memory at path into its file, so that the file alone is the
// memory, and reports whether it could. The database must exist and be undamaged, but may
// have any schema version.
//
// kb.Conflict with detail "busy" if the memory is open, and kb.Damaged if path is a database
// of another program.
func foldLog(ctx context.Context, path string, o Options) (whole bool, err error) {
	if o.BusyTime == 0 {
		o.BusyTime = store.BusyTime
	}
	d := newDB(path, o)
	foreign, err := d.fold(ctx)
	switch err = d.public(err); {
	case foreign:
		return false, kb.Errorf(kb.Damaged, "%s is a database of another program; it was not touched", path).
			WithReason(kb.ForeignDatabase)
	case kb.CodeOf(err) == kb.Damaged && err != nil:
		return false, nil
	case err != nil:
		return false, err
	}
	// The last process to close a database removes its log.
	if _, err := os.Stat(path + "-wal"); err == nil {
		return false, d.busy(errBlocked)
	}
	return true, nil
}

func (d *DB) fold(ctx context.Context) (foreign bool, err error) {
	c, err := d.connect(ctx, true)
	if err != nil {
		return false, err
	}
	state, err := readSchemaOnce(ctx, c)
	if foreign = err == nil && !state.empty() && state.application != applicationID; err == nil && !foreign {
		err = d.retry(ctx, func() error { return truncateLog(ctx, c) })
	}
	return foreign, errors.Join(err, c.close())
}
