package postgres

import (
	"context"
	"sync"
	"sync/atomic"

	"github.com/cairn-kb/cairn/internal/store"
	"github.com/cairn-kb/cairn/internal/store/relational"
)

// joint is the transaction that the Views of a context share, one after the other. It begins
// with the first of them. A View within another, or in another goroutine meanwhile, gets a
// transaction of its own.
type joint struct {
	d          *DB
	foreseeing atomic.Bool
	outdated   atomic.Bool // it is to end

	left atomic.Bool // it is not shared any more

	mu sync.Mutex // held while it is used
	c  *conn      // nil if none has begun

	foresaw *snapshot // the state in which something was foreseen last
	locked  *snapshot // that at the lock that was taken last, where it is the same; nil else
}

var _ store.Joiner = (*DB)(nil)

// Join implements store.Joiner.
func (d *DB) Join(ctx context.Context) (context.Context, func()) {
	if d.joint(ctx) != nil {
		return ctx, func() {}
	}
	j := &joint{d: d}
	return store.WithJoint(ctx, j), func() {
		j.left.Store(true)
		j.part()
	}
}

// Part implements store.Joiner.
func (d *DB) Part(ctx context.Context) { d.joint(ctx).part() }

// joint returns that of a context, nil without one.
func (d *DB) joint(ctx context.Context) *joint {
	if j, _ := store.JointOf(ctx).(*joint); j != nil && j.d == d && !j.left.Load() {
		return j
	}
	return nil
}

// take reports whether the caller may use the transaction, until it calls give. It is not one
// that was to end.
func (j *joint) take() bool {
	if j == nil || !j.mu.TryLock() {
		return false
	}
	if j.outdated.Swap(false) {
		j.end()
	}
	return true
}

// give ends what take began. It also ends a transaction that is outdated by now.
func (j *joint) give() {
	for {
		if j.outdated.Swap(false) || j.left.Load() {
			j.end()
		}
		j.mu.Unlock()
		// It may have become outdated before it was unlocked, and who said so left it to this.
		if !j.outdated.Load() || !j.mu.TryLock() {
			return
		}
	}
}

// part ends the transaction. One that is used ends with that use.
func (j *joint) part() {
	if j == nil || j.isForeseen() {
		return
	}
	j.outdated.Store(true)
	if j.take() {
		j.give()
	}
}

// isForeseen reports whether a reader is run that has no effect; see DB.Foresee.
func (j *joint) isForeseen() bool { return j != nil && j.foreseeing.Load() }

// open has a connection ready. The caller has the mutex.
func (j *joint) open(ctx context.Context) (err error) {
	if j.c != nil {
		return nil
	}
	if j.c, err = j.d.reader(ctx); err == nil {
		j.c.opening.assumed = j.locked
	}
	return err
}

// lock takes notice of the state in which a lock was taken. Answers that were foreseen in the
// same state need not be read again.
func (j *joint) lock(at *snapshot) {
	if !j.take() {
		return
	}
	defer j.give()
	if j.c == nil && at != nil && j.foresaw != nil && j.foresaw.is(*at) {
		j.locked = at
	}
}

// end ends the transaction. The caller has the mutex.
func (j *joint) end() {
	j.locked = nil
	if j.c != nil {
		j.c.finish()
		j.d.release(j.c)
		j.c = nil
	}
}

// view is DB.view in the transaction. The caller has the mutex.
func (j *joint) view(ctx context.Context, f func(*conn, store.Tx) error) error {
	if err := j.open(ctx); err != nil {
		return j.d.public(err)
	}
	c, returned := j.c, false
	// An answer that was assumed holds for all Views until the transaction begins.
	c.answered = c.answered && c.opening != nil && c.opening.assumed != nil
	defer func() {
		if !returned {
			j.end() // it panics
		}
	}()
	t := relational.NewTx(c, dialect, j.d.host, false)
	err := j.d.run(ctx, c, t, func(tx store.Tx) error { return f(c, tx) })
	returned = true
	if err == nil || c.usable() {
		return j.d.public(err)
	}
	err = j.d.lostWith(c, j.d.undo(ctx, c, err))
	j.end()
	return j.d.unread(err)
}

// usable reports whether more can be asked in the transaction after an error.
func (c *conn) usable() bool {
	return !c.pg.IsClosed() && (c.opening != nil && !c.inTransaction() || c.opening == nil && c.pg.PgConn().TxStatus() == 'T')
}

// Foresee implements store.Foreseer for the Views of a context that has them joined.
func (d *DB) Foresee(ctx context.Context, ask func()) error {
	j := d.joint(ctx)
	if j.isForeseen() || !j.take() {
		return nil
	}
	defer j.give()
	if err := j.open(ctx); err != nil {
		return d.public(err)
	}
	c := j.c
	if c.opening != nil && c.opening.assumed != nil {
		return nil // it is known
	}
	c.answered = false
	err := c.Foresee(ctx, func() {
		j.foreseeing.Store(true)
		j.mu.Unlock()
		defer func() {
			j.mu.Lock()
			j.foreseeing.Store(false)
		}()
		ask()
	})
	if err != nil {
		err = d.lostWith(c, d.undo(ctx, c, err))
		j.end()
		return d.unread(err)
	}
	now := c.now
	if c.opening != nil { // all of it is known already
		newest := d.answers.latest()
		now = snapshot{changes: newest.number, mark: newest.mark}
	}
	j.foresaw = &now
	return nil
}
