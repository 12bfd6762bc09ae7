package postgres

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/store"
)

// locks are the exclusive locks that this handle holds.
type locks struct {
	sync.RWMutex                  // shared by commits, so that no lock is given away in one
	held         map[string]int64 // tokens by name
	leases       map[string]*lease
	turns        sync.Map // a chan struct{} for each name: goroutines queue in order
}

// lease is the connection of a Lease.
type lease struct {
	sync.Mutex
	c *conn
}

// list returns the locks with their tokens. The caller has the mutex.
func (l *locks) list() (names []string, tokens []int64) {
	names = slices.Sorted(maps.Keys(l.held))
	for _, name := range names {
		tokens = append(tokens, l.held[name])
	}
	return names, tokens
}

// Lock implements store.Engine. The lock is that of a transaction which stays open: it ends
// with its connection, whatever happens to this process. Since it may end without this
// process noticing, the holder of an exclusive lock writes a token down, and commits fail
// when it is not the last one.
func (d *DB) Lock(ctx context.Context, name string, mode store.LockMode, wait time.Duration) (func() error, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	j := d.joint(ctx)
	if j.isForeseen() {
		return nil, errForesight
	}
	j.part()
	if mode == store.Exclusive { // its holder writes its token down
		if err := d.Unwritable(); err != nil {
			return nil, err
		}
	}
	wait = store.Patience(ctx, wait)
	deadline := time.Now().Add(wait)
	leave := func() {}
	if mode != store.Shared {
		var err error
		if leave, err = d.turn(ctx, name, wait); err != nil {
			return nil, err
		}
	}
	c, at, err := d.lock(ctx, name, mode, wait, deadline)
	if err != nil {
		leave()
		return nil, d.public(err)
	}
	j.lock(at)
	var on lease
	if mode == store.Lease {
		on.c = c
		d.locks.Lock()
		d.locks.leases[name] = &on
		d.locks.Unlock()
	}
	var once sync.Once
	return func() error {
		once.Do(func() {
			d.locks.Lock()
			switch mode {
			case store.Exclusive:
				delete(d.locks.held, name)
			case store.Lease:
				delete(d.locks.leases, name)
			}
			d.locks.Unlock()
			on.Lock() // Holds may be asking
			defer on.Unlock()
			on.c = nil
			// A lost lock is not released, and its holder was notified.
			_ = d.undo(context.WithoutCancel(ctx), c, nil)
			d.release(c)
			leave()
		})
		return nil
	}, nil
}

// Holds implements store.Leaser.
func (d *DB) Holds(ctx context.Context, name string) bool {
	d.locks.RLock()
	on := d.locks.leases[name]
	d.locks.RUnlock()
	if on == nil {
		return false
	}
	on.Lock()
	defer on.Unlock()
	if on.c == nil {
		return false
	}
	_, err := on.c.simple(ctx, "SELECT")
	return err == nil
}

// turn waits for the other goroutines that want a lock.
func (d *DB) turn(ctx context.Context, name string, wait time.Duration) (leave func(), err error) {
	value, _ := d.locks.turns.LoadOrStore(name, make(chan struct{}, 1))
	turn := value.(chan struct{})
	timer := time.NewTimer(wait)
	defer timer.Stop()
	leave = func() { <-turn }
	select {
	case turn <- struct{}{}:
		return leave, nil
	default:
	}
	select {
	case turn <- struct{}{}:
		return leave, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-timer.C:
		return nil, d.held(name)
	}
}

// pooledWait is how long a connection of a pooler waits for a lock. It is a connection of the server
// meanwhile, which the holder of the lock may need: pools can be smaller than the number of writers.
// The pauses between two waits become longer up to pooledPause.
const (
	pooledWait  = 10 * time.Millisecond
	pooledPause = 160 * time.Millisecond
)

// pooled reports whether the URL is that of a pooler.
func (d *DB) pooled() bool {
	return d.where.config.DefaultQueryExecMode != pgx.QueryExecModeCacheStatement
}

// lock takes the lock on a connection, which keeps it until its transaction ends. The holder
// of an exclusive lock first writes its token down in a transaction that takes the lock, too:
// where somebody else had the lock between the two, it does so again. Without a wait the lock is
// taken once and the token follows: of several that take it twice at the same time, each may find
// it held by another, and nobody would get it. At is the state of the memory with the lock, where
// that is known; the transaction that stays open must read no table that a writer changes.
func (d *DB) lock(ctx context.Context, name string, mode store.LockMode, wait time.Duration, deadline time.Time) (_ *conn, at *snapshot, err error) {
	take := "SELECT pg_advisory_xact_lock(%d)"
	if mode == store.Shared {
		take = "SELECT pg_advisory_xact_lock_shared(%d)"
	}
	mine := token()
	// The transaction is idle for as long as the lock is held.
	begins := begin + noticed + "SET LOCAL idle_in_transaction_session_timeout = 0; "
	var c *conn
	var found, backend int64 // the newest token, and the process of the server that has the lock
	pause := pooledWait
	for {
		next, reused, err := d.take(ctx)
		if err != nil {
			return nil, nil, err
		}
		asked := d.answers.latest()
		left := time.Until(deadline)
		if d.pooled() {
			left = min(left, pooledWait)
		}
		takes := bounded(left) + fmt.Sprintf(take, d.key("lock "+name))
		sql := begins + takes
		if mode == store.Exclusive {
			sql += fmt.Sprintf("; SELECT (SELECT token FROM %s.locks WHERE name = '%s'), pg_backend_pid()", d.where.schema(), name)
		}
		if mode == store.Exclusive && wait > 0 {
			sql = begin + noticed + takes + "; " + d.noteSQL(name, mine) + "; " + strings.Replace(d.snapshotSQL(), "?", strconv.FormatInt(asked.number, 10), 1) + "; COMMIT; " + sql
		}
		results, err := next.simple(ctx, sql)
		if err == nil {
			if rows := results[len(results)-1].Rows; mode == store.Exclusive && len(rows) == 1 {
				found, backend = texts(rows[0]).Int(0), texts(rows[0]).Int(1)
				at = d.stateIn(results, asked)
			}
			c = next
			break
		}
		err = d.undo(ctx, next, err)
		d.release(next)
		if state(err) == lockNotAvailable {
			if left := time.Until(deadline); d.pooled() && left > 0 {
				pause = min(2*pause, pooledPause)
				select {
				case <-ctx.Done():
					return nil, nil, ctx.Err()
				case <-time.After(min(pause, left)):
				}
				continue
			}
			return nil, nil, d.held(name)
		}
		if !next.again(reused, err) {
			return nil, nil, err
		}
	}
	if mode != store.Exclusive {
		return c, nil, nil
	}
	if found != mine {
		at = nil
		if err := d.with(ctx, func(other *conn) error { return d.note(ctx, other, name, mine, backend) }); err != nil {
			err = d.undo(ctx, c, err)
			d.release(c)
			return nil, nil, err
		}
	}
	d.locks.Lock()
	d.locks.held[name] = mine
	d.locks.Unlock()
	return c, at, nil
}

// stateIn finds the row of snapshotSQL among results, nil if this program must not
// write.
func (d *DB) stateIn(results []*pgconn.Result, asked commit) *snapshot {
	for _, r := range results {
		if len(r.Rows) != 1 || len(r.Rows[0]) < 6 {
			continue
		}
		state := texts(r.Rows[0])
		if state.Int(0) != int64(d.schema) {
			return nil
		}
		at := snapshotOf(state, asked)
		d.answers.seen(at)
		return &at
	}
	return nil
}

// noteSQL writes down who has a lock. It need not be on disk, since no lock outlives the server.
func (d *DB) noteSQL(name string, mine int64) string {
	return fmt.Sprintf(`SET LOCAL synchronous_commit = off;
INSERT INTO %s.locks AS l (name, token) VALUES ('%s', %d) ON CONFLICT (name) DO UPDATE SET token = excluded.token`, d.where.schema(), name, mine)
}

// note records the holder of a lock, in a separate transaction so that others see
// it. The server may still run it after the process has ended and another one holds
// the lock, so it only writes while the server process backend, which took the
// lock, holds it. The row is locked first, and the next holder waits for it to
// write its own token.
func (d *DB) note(ctx context.Context, c *conn, name string, mine, backend int64) error {
	locks := d.where.schema() + ".locks"
	_, err := c.simple(ctx, begin+fmt.Sprintf(`SET LOCAL synchronous_commit = off;
INSERT INTO %[1]s (name, token) VALUES ('%[2]s', 0) ON CONFLICT (name) DO NOTHING;
SELECT FROM %[1]s WHERE name = '%[2]s' FOR UPDATE;
UPDATE %[1]s SET token = %[3]d WHERE name = '%[2]s' AND EXISTS (SELECT FROM pg_locks
WHERE pid = %[4]d AND locktype = 'advisory' AND granted AND objsubid = 1 AND classid::bigint << 32 | objid::bigint = %[5]d); COMMIT`,
		locks, name, mine, backend, d.key("lock "+name)))
	if err != nil {
		return d.undo(ctx, c, err)
	}
	return nil
}

func (d *DB) held(name string) error {
	return kb.Errorf(kb.Conflict, "the lock %q of the memory at %s is held by another process", name, d.where.shown).
		WithHint("nothing was changed; try again in a moment").With("busy", true).Because(store.ErrBusy)
}
