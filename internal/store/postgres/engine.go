package postgres

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/store"
	"github.com/cairn-kb/cairn/internal/store/pool"
	"github.com/cairn-kb/cairn/internal/store/relational"
)

const (
	// maxIdle is how many connections are kept open without use.
	maxIdle = 8
	// readerWait is how long a reader waits for one of them before another one is opened.
	// A View within a View must not wait for itself.
	readerWait = 100 * time.Millisecond
	// maxConns is how many readers have a connection at once; further ones wait.
	maxConns = 40
	// crowded is the pause after the server had no room for another connection.
	crowded = 50 * time.Millisecond
	// oldest is the oldest server that has all functions that are used, as server_version_num.
	oldest = 130000
)

// Driver opens memories in PostgreSQL databases. Locations are URLs.
type Driver struct{}

var _ store.Driver = Driver{}

// DB is an open memory.
type DB struct {
	where    location
	clock    func() time.Time
	host     string
	busyFor  time.Duration
	schema   int  // number of the newest migration that this program knows
	newer    bool // the memory had a newer one already when it was opened, which this program can read
	writing  chan struct{}
	queued   atomic.Int32 // writers that wait for their turn
	grown    atomic.Bool  // the rows of tables are to be counted
	writer   *conn        // opened by the first writer; guarded by writing
	conns    *pool.Pool[*conn]
	flusher  flusher
	locks    locks
	answers  answers
	listener listener
	standby  standby
	closing  sync.Once
	dropped  dropped
}

var (
	_ store.Engine    = (*DB)(nil)
	_ store.Validator = (*DB)(nil)
	_ store.Leaser    = (*DB)(nil)
	_ store.Listener  = (*DB)(nil)
	_ store.Scrubber  = (*DB)(nil)
)

// Open implements store.Driver.
func (Driver) Open(ctx context.Context, where string, o store.Options) (store.Engine, error) {
	d, err := newDB(where, o)
	if err != nil {
		return nil, err
	}
	if err := d.prepare(ctx, o.MustExist); err != nil {
		return nil, errors.Join(d.public(err), d.Close())
	}
	return d, nil
}

// Exists implements store.Driver.
func (Driver) Exists(ctx context.Context, where string) (bool, error) {
	d, err := newDB(where, store.Options{})
	if err != nil {
		return false, err
	}
	found := false
	err = d.with(ctx, func(c *conn) error {
		state, err := d.state(ctx, c)
		found = state.version > 0
		return err
	})
	return found, errors.Join(d.public(err), d.Close())
}

func newDB(where string, o store.Options) (*DB, error) {
	at, err := parse(where)
	if err != nil {
		return nil, err
	}
	if o.Clock == nil {
		o.Clock = time.Now
	}
	d := &DB{where: at, clock: o.Clock, host: o.Host, busyFor: store.BusyTime, writing: make(chan struct{}, 1), conns: pool.New[*conn](maxIdle, readerWait)}
	d.conns.Limit(maxConns, d.busyFor)
	d.locks.held, d.locks.leases = map[string]int64{}, map[string]*lease{}
	return d, nil
}

// connect opens a connection. It waits while the server has too many, within the time that
// writers wait for each other, and closes those that this process has without use.
func (d *DB) connect(ctx context.Context) (*conn, error) {
	deadline := time.Now().Add(store.Patience(ctx, d.busyFor))
	for {
		pg, err := d.where.connect(ctx)
		if err == nil {
			return &conn{d: d, pg: pg}, nil
		}
		if state(err) != "53300" || !time.Now().Before(deadline) {
			return nil, err
		}
		for _, c := range d.conns.Idle() {
			c.end()
			d.conns.Drop()
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(crowded):
		}
	}
}

// take returns an idle connection or opens one; release gives it back.
func (d *DB) take(ctx context.Context) (c *conn, reused bool, err error) {
	if err := ctx.Err(); err != nil {
		return nil, false, err
	}
	if err := d.where.health.doubted(); err != nil {
		return nil, false, err
	}
	c, found, err := d.conns.Take(ctx)
	switch {
	case errors.Is(err, pool.ErrFull):
		return nil, false, d.crowd(err)
	case errors.Is(err, pool.ErrClosed):
		return nil, false, d.closed()
	case err != nil:
		return nil, false, err
	}
	if found && !c.pg.IsClosed() {
		return c, true, nil
	}
	if c, err = d.connect(ctx); err != nil {
		d.conns.Drop()
	}
	return c, false, err
}

// release gives a connection back. The next one that takes it must not get into a transaction of
// this one.
func (d *DB) release(c *conn) {
	if !c.pg.IsClosed() && c.inTransaction() {
		c.end()
	}
	if c.pg.IsClosed() {
		d.dropped.add(c)
		d.conns.Drop()
		return
	}
	if !d.conns.Put(c) {
		c.end()
	}
}

// dropped are connections that the driver closed in the middle of a statement. It asks the server to
// cancel that, over another connection. PgBouncer 1.18 ends with all of its clients where this one
// breaks off, as it does when the process exits.
type dropped struct {
	mu  sync.Mutex
	all []*conn
}

// isCleanedUp reports whether nothing of a connection is left.
func (c *conn) isCleanedUp() bool {
	select {
	case <-c.pg.PgConn().CleanupDone():
		return true
	default:
		return false
	}
}

func (d *dropped) add(c *conn) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.all = append(slices.DeleteFunc(d.all, (*conn).isCleanedUp), c)
}

// wait waits for a moment until nothing of the connections is left.
func (d *dropped) wait() {
	d.mu.Lock()
	defer d.mu.Unlock()
	end := time.After(time.Second)
	for _, c := range d.all {
		select {
		case <-c.pg.PgConn().CleanupDone():
		case <-end:
			return
		}
	}
}

// end closes a connection; nothing that it knew is needed.
func (c *conn) end() {
	c.ending = nil
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	_ = c.pg.Close(ctx)
}

// with runs f on a connection, for reading. The server, or something on the way, may have
// closed an idle one since: then f runs again on another one.
func (d *DB) with(ctx context.Context, f func(*conn) error) error {
	for {
		c, reused, err := d.take(ctx)
		if err != nil {
			return err
		}
		err = c.cause(f(c))
		d.release(c)
		if err == nil || !c.again(reused, err) {
			return err
		}
	}
}

// Close implements store.Memory.
func (d *DB) Close() error {
	d.closing.Do(func() {
		d.listener.end()
		idle, _ := d.conns.Close()
		for _, c := range idle {
			c.end()
		}
		d.writing <- struct{}{}
		if d.writer != nil {
			d.writer.end()
			d.dropped.add(d.writer)
			d.writer = nil
		}
		<-d.writing
		d.dropped.wait()
	})
	return nil
}

// Changed implements store.Memory.
func (d *DB) Changed(ctx context.Context) (n int64, err error) {
	if d.joint(ctx) != nil { // one question less for the Views after it
		err = d.view(ctx, func(c *conn, _ store.Tx) error {
			n, err = c.changed(ctx)
			return err
		})
		return n, err
	}
	err = d.with(ctx, func(c *conn) error {
		return c.Query(ctx, "SELECT changes FROM "+d.where.schema()+".meta", nil, func(r row) error {
			n = r.Int(0)
			return nil
		})
	})
	return n, d.public(err)
}

// Info implements store.Memory.
func (d *DB) Info(ctx context.Context) (store.Info, error) {
	info := store.Info{Path: d.where.shown}
	err := d.with(ctx, func(c *conn) error {
		sql := fmt.Sprintf(`SELECT current_setting('server_version'), (SELECT max(number) FROM %[1]s.migrations), (SELECT min(applied) FROM %[1]s.migrations),
(SELECT coalesce(sum(pg_total_relation_size(oid)), 0)::bigint FROM pg_class WHERE relnamespace = '%[1]s'::regnamespace AND relkind = 'r')`, d.where.schema())
		return c.Query(ctx, sql, nil, func(r row) error {
			info.Engine, info.Schema, info.Created, info.Bytes = "PostgreSQL "+r.Text(0), r.Num(1), r.Time(2), r.Int(3)
			return nil
		})
	})
	return info, d.public(err)
}

// Validate implements store.Validator. What PostgreSQL checks itself is not repeated.
func (d *DB) Validate(ctx context.Context) error {
	var found relational.Faults
	if err := d.View(ctx, func(t store.Tx) error { return t.(*relational.Tx).Validate(ctx, &found) }); err != nil {
		return err
	}
	return found.Err(d.where.shown)
}

// Sweep implements store.Validator.
func (d *DB) Sweep(ctx context.Context) error {
	return d.Update(ctx, func(t store.Tx) error { return t.(*relational.Tx).Sweep(ctx) })
}

// Scrub implements store.Scrubber. VACUUM FULL writes each table to a new file. It waits for
// all who use a table.
func (d *DB) Scrub(ctx context.Context) (left int64, err error) {
	for _, table := range append(relational.Tables(), "journal") {
		err := d.with(ctx, func(c *conn) error {
			_, err := c.simple(ctx, "VACUUM (FULL) "+d.where.schema()+"."+table)
			return err
		})
		if err != nil {
			return 0, d.public(err)
		}
	}
	return 0, nil
}

// Files implements store.Scrubber: the server has them.
func (d *DB) Files() []string { return nil }

// row is one row of an answer.
type row = relational.Row

// Where returns the URL of the memory, without secrets.
func (d *DB) Where() string { return d.where.shown }

// tooOld fails for a server that lacks functions, or stores text in another encoding.
func (d *DB) tooOld(version int64, name, encoding string) error {
	if version < oldest {
		return kb.Errorf(kb.Usage, "the server of the memory at %s is PostgreSQL %s", d.where.shown, name).WithReason(kb.DatabaseOld)
	}
	if encoding != "UTF8" {
		return kb.Errorf(kb.Usage, "the database of the memory at %s has the encoding %s, not UTF8", d.where.shown, encoding).WithReason(kb.DatabaseEncoding)
	}
	return nil
}
