package sqlite

import (
	"context"
	"database/sql/driver"
	"errors"
	"time"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/store"
)

// tx is a transaction on one connection. Roles are views of it.
type tx struct {
	c     *conn
	db    *DB
	write bool
	over  bool
}

var _ store.Tx = (*tx)(nil)

func (t *tx) Spaces() store.Spaces           { return spaces{t} }
func (t *tx) Documents() store.Documents     { return documents{t} }
func (t *tx) Pages() store.Pages             { return pages{t} }
func (t *tx) Links() store.Links             { return links{t} }
func (t *tx) Items() store.Items             { return items{t} }
func (t *tx) History() store.History         { return history{t} }
func (t *tx) Journal() store.Journal         { return journal{t} }
func (t *tx) Failures() store.Failures       { return failures{t} }
func (t *tx) Settings() store.Settings       { return settings{t} }
func (t *tx) Models() store.Models           { return models{t} }
func (t *tx) Gaps() store.Gaps               { return gaps{t} }
func (t *tx) Claims() store.Claims           { return claims{t} }
func (t *tx) Directories() store.Directories { return directories{t.query} }
func (t *tx) Assertions() store.Assertions   { return assertions{t} }
func (t *tx) Facts() store.Facts             { return facts{t} }
func (t *tx) Lives() store.Lives             { return lives{t} }
func (t *tx) Batches() store.Batches         { return batches{t} }
func (t *tx) Vectors() store.Vectors         { return vectors{t} }

// exec runs a statement that changes rows.
func (t *tx) exec(ctx context.Context, sql string, args ...any) (driver.Result, error) {
	if err := t.live(); err != nil {
		return nil, err
	}
	if !t.write {
		return nil, kb.Errorf(kb.Internal, "a reading transaction cannot write")
	}
	return t.c.exec(ctx, sql, args...)
}

// queryFunc runs a statement and calls f with each row; see conn.query.
type queryFunc func(ctx context.Context, sql string, args []any, f func(row) error) error

// insert runs an INSERT and returns the row it made.
func (t *tx) insert(ctx context.Context, sql string, args ...any) (int64, error) {
	res, err := t.exec(ctx, sql, args...)
	if err != nil {
		return 0, err
	}
	return res.LastInsertId()
}

// change runs a statement and returns how many rows it touched.
func (t *tx) change(ctx context.Context, sql string, args ...any) (int64, error) {
	res, err := t.exec(ctx, sql, args...)
	if err != nil {
		return 0, err
	}
	return res.RowsAffected()
}

// query calls f with each row; see conn.query.
func (t *tx) query(ctx context.Context, sql string, args []any, f func(row) error) error {
	if err := t.live(); err != nil {
		return err
	}
	return t.c.query(ctx, sql, args, f)
}

// one calls f with the first row and reports whether there was one.
func (t *tx) one(ctx context.Context, sql string, args []any, f func(row)) (found bool, err error) {
	err = t.query(ctx, sql, args, func(r row) error {
		found = true
		f(r)
		return errStop
	})
	return found, err
}

func (t *tx) live() error {
	if t.over {
		return kb.Errorf(kb.Internal, "the transaction is over")
	}
	return nil
}

// View implements store.Memory.
func (d *DB) View(ctx context.Context, f func(store.Tx) error) error {
	d.refreeze(ctx)
	d.live.RLock()
	defer d.live.RUnlock()
	c, err := d.reader(ctx)
	if err != nil {
		return d.public(err)
	}
	t := &tx{c: c, db: d}
	err = t.run(ctx, "BEGIN", f)
	d.release(c)
	if d.frozen.Load() != nil {
		// No lock kept writers away from a frozen memory; the data may be of
		// two states.
		if e := d.present(); e != nil {
			err = e
		}
	}
	return d.public(err)
}

// Update implements store.Memory.
func (d *DB) Update(ctx context.Context, f func(store.Tx) error) error {
	if d.options.ReadOnly {
		return kb.Errorf(kb.Internal, "the memory at %s was opened for reading only", d.path)
	}
	if err := d.Unwritable(); err != nil {
		return err
	}
	d.live.RLock()
	defer d.live.RUnlock()
	deadline := time.Now().Add(store.Patience(ctx, d.options.BusyTime))
	c, err := d.lockWriter(ctx)
	if err != nil {
		return d.public(err)
	}
	defer d.unlockWriter()
	if err := d.begin(ctx, c, deadline); err != nil {
		return d.public(err)
	}
	t := &tx{c: c, db: d, write: true}
	return d.public(t.run(ctx, "", f))
}

// begin starts the write transaction, waiting for other processes. The wait
// is made of short waits of SQLite's own, so that a cancelled context is
// noticed.
func (d *DB) begin(ctx context.Context, c *conn, deadline time.Time) error {
	for {
		_, err := c.exec(ctx, "BEGIN IMMEDIATE")
		if err == nil || !isBusy(err) {
			return err
		}
		if !time.Now().Before(deadline) {
			return d.busy(err)
		}
	}
}

// run executes f between begin and COMMIT, or ROLLBACK when f fails or
// panics. An empty begin means that the transaction is open already.
func (t *tx) run(ctx context.Context, begin string, f func(store.Tx) error) (err error) {
	if begin != "" {
		if _, err := t.c.exec(ctx, begin); err != nil {
			return err
		}
	}
	finished := false
	defer func() {
		t.over = true
		if !finished {
			// Some errors (disk full, I/O) have rolled back already.
			if _, e := t.c.exec(context.WithoutCancel(ctx), "ROLLBACK"); e != nil && err == nil {
				err = e
			}
		}
	}()
	if err := t.db.current(ctx, t.c); err != nil {
		return err
	}
	if err := f(t); err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	if t.write {
		if err := t.db.present(); err != nil {
			return err
		}
	}
	if _, err := t.c.exec(context.WithoutCancel(ctx), "COMMIT"); err != nil {
		return err
	}
	finished = true
	return nil
}

// lockWriter waits for the handle's writing connection.
func (d *DB) lockWriter(ctx context.Context) (*conn, error) {
	wait := time.NewTimer(store.Patience(ctx, d.options.BusyTime))
	defer wait.Stop()
	select {
	case d.writing <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-wait.C:
		select {
		case d.writing <- struct{}{}: // free all the same: without patience both are ready at once
		default:
			return nil, d.busy(errors.New("another writer of this process"))
		}
	}
	if d.readers.Closed() {
		d.unlockWriter()
		return nil, errClosed(d.path)
	}
	if err := d.present(); err != nil {
		d.saveLog(ctx, d.writer)
		d.unlockWriter()
		return nil, err
	}
	if d.writer == nil {
		c, err := d.connect(ctx, true)
		if err != nil {
			d.unlockWriter()
			return nil, err
		}
		d.writer = c
	}
	return d.writer, nil
}

func (d *DB) unlockWriter() { <-d.writing }

// reader takes an idle reading connection or opens one. There is no limit: a
// View within a View must not wait for itself.
func (d *DB) reader(ctx context.Context) (*conn, error) {
	c, found, open := d.readers.Take(ctx)
	if !open {
		return nil, errClosed(d.path)
	}
	err := d.present()
	if err == nil && !found {
		c, err = d.connect(ctx, false)
	}
	switch {
	case err == nil:
		return c, nil
	case found:
		d.release(c)
	default:
		d.readers.Drop()
	}
	return nil, err
}

// release gives a reading connection back.
func (d *DB) release(c *conn) {
	if !d.readers.Put(c) && !d.usurped() {
		// Nothing was written through it, so a failure to close loses nothing.
		_ = c.close()
	}
}

func errClosed(path string) error {
	return kb.Errorf(kb.Internal, "the memory at %s is closed", path)
}
