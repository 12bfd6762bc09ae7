package postgres

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"math/bits"
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
	return d.view(ctx, func(_ *conn, tx store.Tx) error { return f(tx) })
}

func (d *DB) view(ctx context.Context, f func(*conn, store.Tx) error) error {
	j := d.joint(ctx)
	if j.isForeseen() {
		return f(j.c, relational.NewTx(j.c, dialect, d.host, false))
	}
	if j.take() {
		defer j.give()
		return j.view(ctx, f)
	}
	c, err := d.reader(ctx)
	if err != nil {
		return d.public(err)
	}
	defer d.release(c)
	t := relational.NewTx(c, dialect, d.host, false)
	if err = d.run(ctx, c, t, func(tx store.Tx) error { return f(c, tx) }); err != nil {
		return d.unread(d.lostWith(c, d.undo(ctx, c, err)))
	}
	c.finish()
	return nil
}

// reader returns a connection for a View, which has not begun.
func (d *DB) reader(ctx context.Context) (*conn, error) {
	c, reused, err := d.take(ctx)
	if err != nil {
		return nil, err
	}
	c.forget() // of a migration, say
	// Writers never keep readers waiting, and a table that somebody locked cannot be read in
	// an earlier state: the patience of the caller with writers does not matter.
	c.reused, c.opening = reused, &opening{wait: d.busyFor}
	return c, nil
}

// ViewAt implements store.ViewerAt.
func (d *DB) ViewAt(ctx context.Context, f func(tx store.Tx, changed int64) error) error {
	return d.view(ctx, func(c *conn, tx store.Tx) error {
		changed, err := c.changed(ctx)
		if err != nil {
			return err
		}
		return f(tx, changed)
	})
}

// changed is the number of changes that a View sees.
func (c *conn) changed(ctx context.Context) (int64, error) {
	if c.opening == nil {
		c.answered = true
		return c.now.changes, nil
	}
	if c.learns != nil {
		return c.d.answers.latest().number, nil
	}
	if c.opening.assumed != nil {
		c.answered = true
		return c.opening.assumed.changes, nil
	}
	err := c.begun(ctx)
	c.answered = true
	return c.now.changes, err
}

// unread is public for the error of a View.
func (d *DB) unread(err error) error {
	if state(err) == lockNotAvailable {
		return d.refusalAs(kb.Conflict, "tables of the memory are locked by another session, such as a VACUUM FULL or a migration", err).WithReason(kb.DatabaseConflict)
	}
	return d.public(err)
}

// run calls f in a transaction, which is rolled back when f panics; the caller ends it else.
func (d *DB) run(ctx context.Context, c *conn, t *relational.Tx, f func(store.Tx) error) error {
	returned := false
	defer func() {
		t.Over()
		if !returned {
			_ = d.undo(ctx, c, nil)
		}
	}()
	err := f(t)
	returned = true
	if err == nil {
		err = ctx.Err()
	}
	return err
}

// Update implements store.Memory.
func (d *DB) Update(ctx context.Context, f func(store.Tx) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := d.Unwritable(); err != nil {
		return err
	}
	j := d.joint(ctx)
	if j.isForeseen() {
		return errForesight
	}
	j.part()
	patience := store.Patience(ctx, d.busyFor)
	deadline := time.Now().Add(patience)
	if err := d.takeTurn(ctx, patience); err != nil {
		return err
	}
	done, durable, err := d.inTurn(ctx, deadline, f)
	j.part() // a View of another goroutine may have begun it before the commit
	if err == nil && done != (commit{}) && !durable {
		err = d.durable(ctx, done)
	}
	if err == nil && d.grown.Swap(false) {
		d.analyze(ctx)
	}
	return d.public(err)
}

// The server counts the rows of tables in the background, each minute at the most. Until then it
// plans as for empty tables, and keeps to these plans: each statement reads all of a table. So a
// writer has the tables counted each time that the pages have become as many again, within
// its transaction where it makes many of them.
const (
	fewPages  = 256
	manyPages = 1 << 17 // the plans stay the same
)

// hasGrown reports whether the number of a row has more bits than another one.
func hasGrown(from, to int64) bool {
	return to >= fewPages && to < manyPages && bits.Len64(uint64(to)) > bits.Len64(uint64(from))
}

// analyze counts the rows of the tables that the role owns; the count of the server follows.
func (d *DB) analyze(ctx context.Context) {
	_ = d.with(ctx, func(c *conn) error {
		_, err := c.simple(ctx, begin+"SET LOCAL search_path = "+d.where.schema()+"; "+dialect.Count()+"; COMMIT")
		return err
	})
}

// takeTurn waits for the other writers of this process.
func (d *DB) takeTurn(ctx context.Context, patience time.Duration) error {
	d.queued.Add(1)
	defer d.queued.Add(-1)
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
	return nil
}

// inTurn runs f in a transaction with the memory's lock, and ends the turn to write. It
// returns the commit, if there was one, and whether it is on disk.
func (d *DB) inTurn(ctx context.Context, deadline time.Time, f func(store.Tx) error) (done commit, durable bool, err error) {
	defer func() { <-d.writing }()
	if d.conns.Closed() {
		return done, false, d.closed()
	}
	if err := d.beginUpdate(ctx, deadline); err != nil {
		return done, false, err
	}
	c := d.writer
	changes := c.now.changes
	t := relational.NewTx(c, dialect, d.host, true)
	err = d.run(ctx, c, t, f)
	if err != nil || !t.Wrote() {
		return done, false, d.lostWith(c, d.undo(ctx, c, err))
	}
	done = commit{mark: token(), number: changes + 1}
	if durable, err = d.commit(ctx, c, done); err != nil {
		return commit{}, false, err
	}
	return done, durable, nil
}

// beginUpdate opens the transaction of the writer.
func (d *DB) beginUpdate(ctx context.Context, deadline time.Time) (err error) {
	if err := d.where.health.doubted(); err != nil {
		return err
	}
	for {
		reused := d.writer != nil && !d.writer.pg.IsClosed()
		if !reused {
			if d.writer != nil {
				d.dropped.add(d.writer)
			}
			if d.writer, err = d.connect(ctx); err != nil {
				d.writer = nil
				return err
			}
		}
		err = d.begin(ctx, d.writer, begin+"SET LOCAL synchronous_commit = off; "+noticed+lockSQL(d.key("write"), time.Until(deadline)))
		if err == nil {
			return nil
		}
		err = d.undo(ctx, d.writer, err)
		if !d.writer.again(reused, err) {
			return d.writer.cause(err)
		}
	}
}

// begin opens a transaction of a writer in one round trip. It also reads the newest numbers
// of tables.
func (d *DB) begin(ctx context.Context, c *conn, opening string) error {
	asked := d.answers.latest()
	schema := d.where.schema()
	sql := fmt.Sprintf(`SELECT m.schema, m.changes, m.rare, m.readable, coalesce((SELECT c.mark FROM %[1]s.commits c WHERE c.number = m.changes), 0),
coalesce((SELECT c.mark FROM %[1]s.commits c WHERE c.number = %[2]d), 0)`, schema, asked.number)
	const first = 6
	for _, t := range numberedTables {
		sql += ", (SELECT last_value - CASE WHEN is_called THEN 0 ELSE 1 END FROM " + c.sequence(t.table) + ")"
	}
	results, err := c.simple(ctx, opening+"SET LOCAL search_path = "+schema+"; "+sql+" FROM "+schema+".meta m; SET LOCAL lock_timeout = 0")
	if err != nil {
		return err
	}
	var rows []row
	for _, r := range results[len(results)-2].Rows {
		rows = append(rows, texts(r))
	}
	if err := c.begins(rows, asked); err != nil {
		return err
	}
	c.numbers, c.given = map[string]int64{}, map[string]bool{}
	for i, t := range numberedTables {
		c.numbers[t.table] = rows[0].Int(first + i)
	}
	c.segments, c.pages = c.numbers["lexical_segments"], c.numbers["pages"]
	return nil
}

// undo ends a transaction without a commit, and returns err, or its own error where there was
// none. A connection that cannot be used again is closed.
func (d *DB) undo(ctx context.Context, c *conn, err error) error {
	c.forget()
	if code := state(err); code == "26000" || code == "0A000" { // it does not have, or cannot run any more, what was prepared
		c.end()
	}
	if c.pg.IsClosed() || !c.inTransaction() {
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

// lockSQL waits for an advisory lock until the end of the transaction. Later waits for locks have
// the same bound until begin removes it.
func lockSQL(key int64, wait time.Duration) string {
	return bounded(wait) + fmt.Sprintf("SELECT pg_advisory_xact_lock(%d); ", key)
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
// of the newest commits. Durable is whether it is on disk.
func (d *DB) commit(ctx context.Context, c *conn, as commit) (durable bool, err error) {
	ctx = context.WithoutCancel(ctx)
	d.locks.RLock()
	defer d.locks.RUnlock()
	pages := c.numbers["pages"]
	if err := d.queueEnd(ctx, c, as); err != nil {
		return false, d.undo(ctx, c, err)
	}
	var flush []statement
	needed, bounded, cancel := 0, ctx, context.CancelFunc(func() {})
	if d.queued.Load() == 0 && len(c.pending) < maxPending/2 && c.bytes < maxPendingBytes/4 { // a long commit has no bound
		flush, needed = d.flushing(as.number)
		bounded, cancel = context.WithTimeout(ctx, outcomeWait)
	}
	defer cancel()
	// Not by Exec, which sends when many statements wait: the outcome of this one is special.
	c.pending = append(c.pending, statement{sql: "COMMIT"})
	results, err := c.send(bounded, flush...)
	switch {
	case err == nil:
		if hasGrown(c.pages, pages) {
			d.grown.Store(true)
		}
		d.answers.committed(as)
		c.rememberFresh()
		for range needed {
			if err == nil {
				err = pass(results)
			}
		}
		durable = needed > 0 && err == nil
		_ = d.undo(ctx, c, results.Close()) // an error is that of the flush, or of the notification, which may be lost
		if bounded.Err() != nil && !durable {
			return false, d.unsure(bounded.Err())
		}
		return durable, nil
	case !lost(err) && !c.pg.IsClosed() || state(err) == "25P03":
		return false, d.undo(ctx, c, err)
	}
	c.end()
	if c.stalled(err) {
		return false, d.unsure(errStalled)
	}
	if err = d.outcome(ctx, as, err); err == nil && bounded.Err() != nil {
		err = d.unsure(bounded.Err())
	}
	return false, err
}

// queueEnd has the statements wait that come before the COMMIT.
func (d *DB) queueEnd(ctx context.Context, c *conn, as commit) error {
	names, tokens := d.locks.list()
	if len(names) > 0 {
		if err := c.Exec(ctx, "SELECT fence(?, ?)", names, tokens); err != nil {
			return err
		}
	}
	for _, t := range numberedTables {
		if err := c.keepNumber(ctx, t.table); err != nil {
			return err
		}
	}
	change, args := "UPDATE meta SET changes = ?", []any{as.number}
	if c.rare {
		change, args = "UPDATE meta SET changes = ?, rare = ?", []any{as.number, as.number}
	}
	if err := c.Exec(ctx, change, args...); err != nil {
		return err
	}
	// A restored dump may list a commit of this number.
	if err := c.Exec(ctx, "INSERT INTO commits AS c (number, mark) VALUES (?, ?) ON CONFLICT (number) DO UPDATE SET mark = excluded.mark", as.number, as.mark); err != nil {
		return err
	}
	if as.number%prune == 0 {
		return c.Exec(ctx, "DELETE FROM commits WHERE number <= ?", as.number-kept)
	}
	return nil
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

// outcomeWait limits the time for finding out whether a lost commit succeeded.
const outcomeWait = 12 * time.Second

// look reports whether a commit was made, and whether that is known.
func (d *DB) look(ctx context.Context, of commit) (known, committed bool, err error) {
	c, err := d.connect(ctx)
	if err != nil {
		return false, false, err
	}
	defer c.end()
	now := marks{by: map[int64]int64{}}
	if err = d.begin(ctx, c, begin+lockSQL(d.key("write"), store.BusyTime)); err != nil {
		return false, false, err
	}
	now.changes = c.now.changes
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
