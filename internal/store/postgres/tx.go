package postgres

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"time"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/store"
	"github.com/cairn-kb/cairn/internal/store/relational"
)

// begin opens a transaction that sees what others commit while it waits for a lock, whatever
// the default of the role or the database is.
const begin = "BEGIN ISOLATION LEVEL READ COMMITTED; "

// noticed has the server end the transaction of a writer that stopped, or that it cannot
// reach any more: it keeps all others from writing. Settings of the session would be refused
// by PgBouncer.
const noticed = "SET LOCAL tcp_keepalives_idle = 4; SET LOCAL tcp_keepalives_interval = 2; SET LOCAL tcp_keepalives_count = 3; " +
	"SET LOCAL tcp_user_timeout = 10000; SET LOCAL idle_in_transaction_session_timeout = 15000; "

// View implements store.Memory.
func (d *DB) View(ctx context.Context, f func(store.Tx) error) error {
	var c *conn
	for {
		next, reused, err := d.take(ctx)
		if err != nil {
			return d.public(err)
		}
		_, err = d.begin(ctx, next, "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; "+bounded(store.Patience(ctx, d.busyFor)))
		if err == nil {
			c = next
			break
		}
		err = d.undo(ctx, next, err)
		d.release(next)
		if !reused || !lost(err) {
			return d.public(err)
		}
	}
	defer d.release(c)
	t := relational.NewTx(c, dialect, false)
	ended := false
	defer func() {
		t.Over()
		if !ended { // f panicked
			_ = d.undo(ctx, c, nil)
		}
	}()
	err := f(t)
	if err == nil {
		err = ctx.Err()
	}
	ended = true
	return d.public(d.lostWith(c, d.undo(ctx, c, err)))
}

// Update implements store.Memory.
func (d *DB) Update(ctx context.Context, f func(store.Tx) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	patience := store.Patience(ctx, d.busyFor)
	deadline := time.Now().Add(patience)
	wait := time.NewTimer(patience)
	defer wait.Stop()
	select {
	case d.writing <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	case <-wait.C:
		select {
		case d.writing <- struct{}{}: // free all the same: without patience both are ready at once
		default:
			return d.busy(errors.New("another writer of this process"))
		}
	}
	done, err := d.inTurn(ctx, deadline, f)
	if err == nil && done != (commit{}) {
		err = d.durable(ctx, done)
	}
	return d.public(err)
}

// inTurn runs f in a transaction with the memory's lock, and ends the turn to write. It
// returns what was committed, if anything was: that may not be on disk yet.
func (d *DB) inTurn(ctx context.Context, deadline time.Time, f func(store.Tx) error) (done commit, err error) {
	defer func() { <-d.writing }()
	if d.conns.Closed() {
		return done, d.closed()
	}
	changes, err := d.beginUpdate(ctx, deadline)
	if err != nil {
		return done, err
	}
	c := d.writer
	t := relational.NewTx(c, dialect, true)
	ended := false
	defer func() {
		t.Over()
		if !ended { // f panicked
			_ = d.undo(ctx, c, nil)
		}
	}()
	err = f(t)
	if err == nil {
		err = ctx.Err()
	}
	ended = true
	if err != nil || !t.Wrote() {
		return done, d.lostWith(c, d.undo(ctx, c, err))
	}
	done = commit{mark: token(), number: changes + 1}
	if err := d.commit(ctx, c, done); err != nil {
		return commit{}, err
	}
	return done, nil
}

// beginUpdate opens the transaction of the writer and returns the count of changes before it.
func (d *DB) beginUpdate(ctx context.Context, deadline time.Time) (changes int64, err error) {
	for {
		reused := d.writer != nil && !d.writer.pg.IsClosed()
		if !reused {
			if d.writer, err = d.connect(ctx); err != nil {
				d.writer = nil
				return 0, err
			}
		}
		changes, err = d.begin(ctx, d.writer, begin+"SET LOCAL synchronous_commit = off; "+noticed+lockSQL(d.key("write"), time.Until(deadline)))
		if err == nil {
			return changes, nil
		}
		err = d.undo(ctx, d.writer, err)
		if !reused || !lost(err) {
			return 0, err
		}
	}
}

// begin opens a transaction in one round trip, and fails when the schema of the memory is not
// the one that this program knows.
func (d *DB) begin(ctx context.Context, c *conn, opening string) (changes int64, err error) {
	results, err := c.simple(ctx, opening+"SET LOCAL search_path = "+d.where.schema()+"; SELECT schema, changes FROM meta")
	if err != nil {
		return 0, err
	}
	last := results[len(results)-1]
	if len(last.Rows) != 1 {
		return 0, d.lacksMeta()
	}
	var schema int64
	if _, err := fmt.Sscan(string(last.Rows[0][0]), &schema); err != nil {
		return 0, err
	}
	if schema != int64(d.schema) {
		return 0, kb.Errorf(kb.Damaged, "another cairn brought the memory at %s to schema %d while this process had it open, which knows schema %d", d.where.shown, schema, d.schema).
			WithHint("Nothing was changed by this. Start cairn again, the newer one: agents' clients do so when they reconnect.").
			With("schema", schema).With("supported", d.schema)
	}
	_, err = fmt.Sscan(string(last.Rows[0][1]), &changes)
	return changes, err
}

// undo ends a transaction without a commit, and returns err, or its own error where there was
// none. A connection that cannot be used again is closed.
func (d *DB) undo(ctx context.Context, c *conn, err error) error {
	clear(c.pending)
	c.pending, c.bytes, c.open = c.pending[:0], 0, nil
	if c.pg.IsClosed() {
		return err
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), store.BusyTime)
	defer cancel()
	if _, e := c.simple(ctx, "ROLLBACK"); e != nil {
		c.end()
		if err == nil {
			err = e
		}
	}
	return err
}

// bounded bounds each wait for a lock of a table: a migration has them.
func bounded(wait time.Duration) string {
	return fmt.Sprintf("SET LOCAL lock_timeout = %d; ", max(wait.Milliseconds(), 1)) // 0 would be no bound
}

// lockSQL waits for an advisory lock until the end of the transaction.
func lockSQL(key int64, wait time.Duration) string {
	return bounded(wait) + fmt.Sprintf("SELECT pg_advisory_xact_lock(%d); SET LOCAL lock_timeout = 0; ", key)
}

// key is the number of an advisory lock. Numbers belong to the database: the schema makes it
// that of the memory.
func (d *DB) key(name string) int64 {
	sum := sha256.Sum256([]byte("cairn\x00" + d.where.schema() + "\x00" + name))
	return int64(binary.BigEndian.Uint64(sum[:]))
}

// At least this many of the newest commits are listed: more than others make until a commit
// is on disk. Older ones are deleted now and then.
const (
	kept  = 20000
	prune = 1000
)

// commit commits, provided that this process still has its locks. The memory lists the marks
// of the newest commits.
func (d *DB) commit(ctx context.Context, c *conn, as commit) error {
	ctx = context.WithoutCancel(ctx)
	d.locks.RLock()
	defer d.locks.RUnlock()
	names, tokens := d.locks.list()
	if len(names) > 0 {
		if err := c.Exec(ctx, "SELECT fence(?, ?)", names, tokens); err != nil {
			return d.undo(ctx, c, err)
		}
	}
	if err := c.Exec(ctx, "UPDATE meta SET changes = ?", as.number); err != nil {
		return d.undo(ctx, c, err)
	}
	// A restored dump may list a commit of this number.
	if err := c.Exec(ctx, "INSERT INTO commits AS c (number, mark) VALUES (?, ?) ON CONFLICT (number) DO UPDATE SET mark = excluded.mark", as.number, as.mark); err != nil {
		return d.undo(ctx, c, err)
	}
	if as.number%prune == 0 {
		if err := c.Exec(ctx, "DELETE FROM commits WHERE number <= ?", as.number-kept); err != nil {
			return d.undo(ctx, c, err)
		}
	}
	// Not by Exec, which sends when many statements wait: the outcome of this one is special.
	c.pending = append(c.pending, statement{sql: "COMMIT"})
	err := c.flush(ctx)
	switch {
	case err == nil:
		return nil
	case !lost(err) && !c.pg.IsClosed() || state(err) == "25P03":
		return d.undo(ctx, c, err)
	}
	c.end()
	return d.outcome(ctx, as, err)
}

// outcome finds out whether a transaction was committed that lost its connection in its
// commit. The lock of writers is free once it has ended; then the list of the newest commits
// has its mark, or not.
func (d *DB) outcome(ctx context.Context, of commit, cause error) error {
	ctx, cancel := context.WithTimeout(ctx, outcomeWait)
	defer cancel()
	for {
		known, committed, err := d.look(ctx, of)
		switch {
		case err == nil && committed:
			return nil
		case err == nil && known:
			return cause
		case err == nil || ctx.Err() != nil:
			return d.unsure(cause)
		}
		select {
		case <-ctx.Done():
		case <-time.After(crowded):
		}
	}
}

// outcomeWait bounds the time in which a lost commit is looked for.
const outcomeWait = 12 * time.Second

// look reports whether a commit was made, and whether that is known.
func (d *DB) look(ctx context.Context, of commit) (known, committed bool, err error) {
	c, err := d.connect(ctx)
	if err != nil {
		return false, false, err
	}
	defer c.end()
	now := marks{by: map[int64]int64{}}
	if now.changes, err = d.begin(ctx, c, begin+lockSQL(d.key("write"), store.BusyTime)); err != nil {
		return false, false, err
	}
	err = c.Query(ctx, "SELECT number, mark FROM commits WHERE number = ?", []any{of.number}, func(r row) error {
		now.by[r.Int(0)] = r.Int(1)
		return nil
	})
	known, committed = now.has(of)
	return known, committed, err
}

// token is a number that nobody else has.
func token() int64 {
	var b [8]byte
	_, _ = rand.Read(b[:]) // never fails
	return int64(binary.BigEndian.Uint64(b[:]) >> 1)
}
