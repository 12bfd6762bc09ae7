package postgres

import (
	"context"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/cairn-kb/cairn/internal/kb"
)

// A commit does not wait for the disk while it has the memory's lock: it is written with
// synchronous_commit off. Afterwards all commits that wait share one transaction that does
// wait, and that is on disk only after them. It also reads the marks of the newest commits:
// the server may have crashed in between, and lost some.

// commit names a committed transaction.
type commit struct {
	mark   int64 // see DB.commit
	number int64 // of changes with it
}

// flusher runs one flush at a time.
type flusher struct {
	mu      sync.Mutex
	running bool
	waiting []waiting
}

type waiting struct {
	commit
	done chan error
}

// durable returns when a commit is on disk.
func (d *DB) durable(ctx context.Context, of commit) error {
	done := make(chan error, 1)
	d.flusher.mu.Lock()
	d.flusher.waiting = append(d.flusher.waiting, waiting{of, done})
	first := !d.flusher.running
	d.flusher.running = true
	d.flusher.mu.Unlock()
	if first {
		d.flushAll(context.WithoutCancel(ctx))
	}
	return <-done
}

// flushAll flushes for all that wait, until nobody does.
func (d *DB) flushAll(ctx context.Context) {
	for {
		d.flusher.mu.Lock()
		all := d.flusher.waiting
		d.flusher.waiting = nil
		if len(all) == 0 {
			d.flusher.running = false
			d.flusher.mu.Unlock()
			return
		}
		d.flusher.mu.Unlock()
		now, err := d.flushed(ctx)
		for _, w := range all {
			w.done <- d.verdict(now, w.commit, err)
		}
	}
}

// marks are those of the newest commits, at a count of changes.
type marks struct {
	changes int64
	recent  []int64
}

// has reports whether a commit is among the newest, and whether it would be.
func (m marks) has(of commit) (known, committed bool) {
	for _, mark := range m.recent {
		if mark == of.mark {
			return true, true
		}
	}
	return m.changes-of.number < kept, false
}

// verdict is the error for a commit after a flush.
func (d *DB) verdict(now marks, of commit, err error) error {
	if err != nil {
		return d.unsure(err)
	}
	known, committed := now.has(of)
	switch {
	case committed:
		return nil
	case known:
		return kb.Errorf(kb.Conflict, "the server of the memory at %s stopped before the write was on its disk: it was not kept", d.where.shown).
			WithReason(kb.DatabaseConflict)
	}
	return d.unsure(nil)
}

// flushed waits until all that was committed is on disk, and returns the newest commits. It
// tries again while the server cannot be reached.
func (d *DB) flushed(ctx context.Context) (now marks, err error) {
	ctx, cancel := context.WithTimeout(ctx, outcomeWait)
	defer cancel()
	for {
		if now, err = d.flush(ctx); err == nil || ctx.Err() != nil || !lost(err) {
			return now, err
		}
		select {
		case <-ctx.Done():
		case <-time.After(crowded):
		}
	}
}

// flush commits a transaction with a record of no content, and waits as long for it as the
// server is set to, at least until it is on this server's disk.
func (d *DB) flush(ctx context.Context) (now marks, err error) {
	c, _, err := d.take(ctx)
	if err != nil {
		return now, err
	}
	defer d.release(c)
	results, err := c.simple(ctx, `BEGIN;
SELECT set_config('synchronous_commit', 'on', true) WHERE current_setting('synchronous_commit') = 'off';
SELECT changes, recent FROM `+d.where.schema()+`.meta;
SELECT pg_logical_emit_message(true, 'cairn', ''); COMMIT`)
	if err != nil {
		return now, d.undo(ctx, c, err)
	}
	const read = 2
	if len(results) <= read || len(results[read].Rows) != 1 {
		return now, d.lacksMeta()
	}
	values := results[read].Rows[0]
	if now.changes, err = strconv.ParseInt(string(values[0]), 10, 64); err != nil {
		return now, err
	}
	for _, text := range strings.Split(strings.Trim(string(values[1]), "{}"), ",") {
		if mark, err := strconv.ParseInt(text, 10, 64); err == nil {
			now.recent = append(now.recent, mark)
		}
	}
	return now, nil
}

func (d *DB) lacksMeta() error {
	return kb.Errorf(kb.Damaged, "the memory at %s lacks its row of meta", d.where.shown).WithReason(kb.DatabaseDamaged)
}

// unsure is the error for a write that may have been committed, or not.
func (d *DB) unsure(cause error) error {
	e := kb.Errorf(kb.Internal, "the connection to the memory at %s was lost while it committed: the write may be there, or not", d.where.shown).
		WithReason(kb.DatabaseUnsure)
	if cause != nil {
		e.Err = cause
	}
	return e
}
