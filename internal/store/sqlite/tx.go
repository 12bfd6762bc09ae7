package sqlite

import (
	"context"
	"errors"
	"time"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/store"
	"github.com/cairn-kb/cairn/internal/store/relational"
)

// tx is a transaction on one connection.
type tx struct {
	*relational.Tx
	c     *conn
	db    *DB
	write bool
}

func newTx(d *DB, c *conn, write bool) *tx {
	return &tx{Tx: relational.NewTx(c, dialect, d.options.Host, write), c: c, db: d, write: write}
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
	t := newTx(d, c, false)
	err = t.run(ctx, "BEGIN", f)
	d.release(c)
	if d.frozen.Load() != nil {
		// A frozen memory is not locked against writers; the data may be of two states.
		if e := d.present(); e != nil {
			err = e
		}
	}
	return d.public(err)
}

// Update implements store.Memory.
func (d *DB) Update(ctx context.Context, f func(store.Tx) error) (err error) {
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
	if store.HasLittleCache(ctx) {
		if err := c.cache(ctx, littleCache); err != nil {
			return d.public(err)
		}
		defer func() { err = errors.Join(err, c.cache(context.WithoutCancel(ctx), writerCache)) }()
	}
	if err := d.begin(ctx, c, deadline); err != nil {
		return d.public(err)
	}
	t := newTx(d, c, true)
	err = d.public(t.run(ctx, "", f))
	if c.filled {
		c.filled = false
		c.shrink(context.WithoutCancel(ctx))
	}
	return err
}

// begin starts the write transaction, waiting for other processes. It waits in short
// intervals of SQLite's own timeout, so that a cancelled context is noticed.
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
		t.Over()
		if !finished {
			// After some errors (disk full, I/O) SQLite has rolled back already.
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
		case d.writing <- struct{}{}: // it is free: without patience both cases are ready at once
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

// reader takes an idle reading connection or opens one. There is no limit: a View within a
// View must not wait for itself.
func (d *DB) reader(ctx context.Context) (*conn, error) {
	c, found, err := d.readers.Take(ctx)
	if err != nil {
		return nil, errClosed(d.path)
	}
	err = d.present()
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

// release returns a reading connection.
func (d *DB) release(c *conn) {
	if !d.readers.Put(c) && !d.usurped() {
		// Nothing was written through it, so a failure to close loses nothing.
		_ = c.close()
	}
}

func errClosed(path string) error {
	return kb.Errorf(kb.Internal, "the memory at %s is closed", path)
}
