package postgres

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/cairn-kb/cairn/internal/kb"
)

// opening is how a View begins: with its first query, in one round trip.
type opening struct {
	wait    time.Duration
	assumed *snapshot // answers of this state may be given before it begins; nil for none
}

const beginView = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"

// settingsSQL sets the schema of the memory's tables, and timeouts for the rest of
// a View. It reads no table: even reading meta may have to wait for a lock.
func (d *DB) settingsSQL() string {
	return fmt.Sprintf(`SELECT set_config('search_path', '%s', true), set_config('lock_timeout', ?, true),
CASE WHEN current_setting('statement_timeout') = '0' THEN set_config('statement_timeout', '%d', true) END`, d.where.schema(), longest.Milliseconds())
}

// snapshotSQL reads a snapshot.
func (d *DB) snapshotSQL() string {
	schema := d.where.schema()
	return fmt.Sprintf(`SELECT m.schema, m.changes, m.rare, m.readable, coalesce((SELECT c.mark FROM %[1]s.commits c WHERE c.number = m.changes), 0),
coalesce((SELECT c.mark FROM %[1]s.commits c WHERE c.number = ?), 0) FROM %[1]s.meta m`, schema)
}

// longest is how long a statement of a View may run, unless the role or the URL says otherwise.
const longest = 5 * time.Minute

// beginWith begins a View with queries.
func (c *conn) beginWith(ctx context.Context, queries ...statement) (*pgconn.MultiResultReader, error) {
	for {
		results, err := c.tryBegin(ctx, queries)
		if err == nil || !c.again(c.reused, err) {
			return results, err
		}
		if err := c.replace(ctx); err != nil {
			return nil, err
		}
	}
}

func (c *conn) tryBegin(ctx context.Context, queries []statement) (*pgconn.MultiResultReader, error) {
	asked := c.d.answers.latest()
	results, err := c.batch(ctx, append([]statement{
		{sql: beginView, qualified: true},
		{sql: numbered(c.d.settingsSQL()), args: []any{milliseconds(c.opening.wait)}, qualified: true},
		{sql: numbered(c.d.snapshotSQL()), args: []any{asked.number}, qualified: true},
	}, queries...))
	if err != nil {
		return nil, err
	}
	for range 2 { // BEGIN and the settings
		if err := pass(results); err != nil {
			return nil, err
		}
	}
	var cur cursor
	if err := cur.begin(results); err != nil {
		return nil, err
	}
	if err = cur.settle(); err == nil {
		err = c.begins(cur.rest, asked)
	}
	if err != nil {
		_ = results.Close() // the same error
		return nil, err
	}
	return results, nil
}

// begun begins a View that has not begun.
func (c *conn) begun(ctx context.Context) error {
	for {
		asked := c.d.answers.latest()
		settings := strings.Replace(c.d.settingsSQL(), "?", "'"+milliseconds(c.opening.wait)+"'", 1)
		snapshot := strings.Replace(c.d.snapshotSQL(), "?", fmt.Sprint(asked.number), 1)
		results, err := c.simple(ctx, beginView+"; "+settings+"; "+snapshot)
		if err == nil {
			var rows []row
			for _, r := range results[len(results)-1].Rows {
				rows = append(rows, texts(r))
			}
			return c.begins(rows, asked)
		}
		if !c.again(c.reused, err) {
			return err
		}
		if err := c.replace(ctx); err != nil {
			return err
		}
	}
}

// texts reads a row of numbers in text form.
func texts(r [][]byte) row {
	out := make(row, len(r))
	for i, b := range r {
		var n int64
		if _, err := fmt.Sscan(string(b), &n); err == nil {
			out[i] = n
		}
	}
	return out
}

// begins takes notice of the snapshot that a transaction began with. It fails when the schema
// of the memory is not the one that this program knows; a View goes on where a newer one can
// be read.
func (c *conn) begins(rows []row, asked commit) error {
	d := c.d
	if len(rows) != 1 {
		return d.lacksMeta()
	}
	r := rows[0]
	now := snapshotOf(r, asked)
	schema, readable := r.Int(0), r.Int(3)
	writes := c.opening == nil
	if schema < int64(d.schema) || schema > int64(d.schema) && (writes || readable > int64(d.schema)) {
		if d.newer && schema > int64(d.schema) {
			return kb.Errorf(kb.Damaged, "the memory at %s has schema %d, and this cairn knows schemas up to %d; nothing was changed", d.where.shown, schema, d.schema).
				WithReason(kb.NewerSchema).With("schema", schema).With("supported", d.schema)
		}
		return kb.Errorf(kb.Damaged, "another cairn brought the memory at %s to schema %d while this process had it open, which knows schema %d", d.where.shown, schema, d.schema).
			WithHint("Nothing was changed by this. Start cairn again, the newer one: agents' clients do so when they reconnect.").
			With("schema", schema).With("supported", d.schema)
	}
	if !writes && c.answered && c.opening.assumed != nil && !c.opening.assumed.is(now) {
		return d.overtaken()
	}
	d.answers.seen(now)
	c.now, c.opening, c.viewing = now, nil, !writes
	return nil
}

// snapshotOf is the snapshot of a row of snapshotSQL.
func snapshotOf(r row, asked commit) snapshot {
	return snapshot{changes: r.Int(1), rare: r.Int(2), mark: r.Int(4), earlier: r.Int(5), asked: asked}
}

// replace opens a connection in the place of one that was closed while it was idle.
func (c *conn) replace(ctx context.Context) error {
	c.end()
	fresh, err := c.d.connect(ctx)
	if err != nil {
		return err
	}
	c.pg, c.reused, c.used, c.naming, c.names, c.ending = fresh.pg, false, nil, nil, 0, nil
	return nil
}

func milliseconds(wait time.Duration) string {
	return fmt.Sprint(max(wait.Milliseconds(), 1)) // 0 would be no bound
}

// ended reads the answer to the end of the last transaction, which nobody waited for.
func (c *conn) ended() error {
	if c.ending == nil {
		return nil
	}
	net := c.pg.PgConn().Conn()
	_ = net.SetReadDeadline(time.Now().Add(stalledAfter)) // or the read fails
	err := c.ending.Close()
	named := c.naming
	c.ending, c.naming = nil, nil
	if state(err) != "" && len(named) > 0 && !c.pg.IsClosed() { // a statement that cannot be prepared is sent as before
		c.names = maxPrepared
		_, err = c.pg.PgConn().Exec(context.Background(), "ROLLBACK").ReadAll()
		named = nil
	}
	if err != nil {
		c.end()
		if errors.Is(err, os.ErrDeadlineExceeded) {
			c.d.where.health.fails()
			return errStalled
		}
		return err
	}
	for sql, name := range named {
		if u := c.used[sql]; u != nil {
			u.name = name
		}
	}
	return net.SetReadDeadline(time.Time{})
}

// finish ends a View. Its answer is read before the connection is used again. Statements that were
// used often are prepared with it: nobody waits for that either, and names of tables are still
// those of the memory.
func (c *conn) finish() {
	wanted := c.wanted
	c.forget()
	if c.pg.IsClosed() || !c.inTransaction() {
		return
	}
	if pg := c.pg.PgConn(); pg.TxStatus() != 'T' || len(wanted) == 0 {
		c.ending = pg.Exec(context.Background(), "ROLLBACK")
		return
	}
	all := c.pg.PgConn().StartPipeline(context.Background())
	c.naming = make(map[string]string, len(wanted))
	for sql := range wanted {
		c.names++
		c.naming[sql] = fmt.Sprintf("cairn%d", c.names)
		all.SendPrepare(c.naming[sql], sql, nil)
	}
	all.SendQueryParams("ROLLBACK", nil, nil, nil, nil)
	_ = all.Sync() // Close has the error, too
	c.ending = all
}

// inTransaction reports whether a transaction is open on the server, also one that failed. A
// View that could not begin may have one: BEGIN comes before the statement that failed.
func (c *conn) inTransaction() bool {
	return c.ending == nil && c.pg.PgConn().TxStatus() != 'I'
}

// forget drops what belongs to a transaction.
func (c *conn) forget() {
	clear(c.pending)
	c.pending, c.bytes, c.open, c.opening, c.learns = c.pending[:0], 0, nil, nil, nil
	c.now, c.wrote, c.rare, c.numbers, c.given = snapshot{}, false, false, nil, nil
	c.touched, c.own, c.viewing, c.answered = 0, nil, false, false
	c.fresh, c.freshly, c.wanted = nil, 0, nil
}
