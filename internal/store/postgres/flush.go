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
// wait, and that is on disk only after them. It also reads the marks of their numbers:
// the server may have crashed in between, and lost some.

// Where nobody waits for the connection of the writer, these statements are sent with the
// commit. It ends the lock even so, before the server waits.

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
		now, err := d.flushed(ctx, all)
		for _, w := range all {
			w.done <- d.verdict(now, w.commit, err)
		}
	}
}

// marks are those of commits by their numbers, at a count of changes.
type marks struct {
	changes int64
	by      map[int64]int64
}

// has reports whether a commit was made, and whether that is known.
func (m marks) has(of commit) (known, committed bool) {
	mark, found := m.by[of.number]
	return found || m.changes < of.number, found && mark == of.mark
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

// flushed waits until all that was committed is on disk, and returns what the memory lists of
// those that wait. It tries again while the server cannot be reached.
func (d *DB) flushed(ctx context.Context, all []waiting) (now marks, err error) {
	ctx, cancel := context.WithTimeout(ctx, outcomeWait)
	defer cancel()
	for {
		if now, err = d.flush(ctx, all); err == nil || ctx.Err() != nil || !lost(err) {
			return now, err
		}
		select {
		case <-ctx.Done():
		case <-time.After(crowded):
		}
	}
}

// flushing are the statements of a flush, to be sent with a commit, and their
// number until it is on disk; the rest sends its number. The session is that of the
// commit: if it answers, the server has not crashed in between.
func (d *DB) flushing(newest int64) (all []statement, needed int) {
	for _, sql := range strings.Split(strings.TrimSuffix(begin, "; ")+syncSQL+"; "+emitSQL+"; COMMIT"+d.notifySQL(newest), "; ") {
		all = append(all, statement{sql: sql, qualified: true})
	}
	return all, 4
}

// What has a commit wait as long as the server is set to, at least until it is on its disk.
const (
	syncSQL = "; SELECT set_config('synchronous_commit', 'on', true) WHERE current_setting('synchronous_commit') = 'off'"
	emitSQL = "SELECT pg_logical_emit_message(true, 'cairn', '')"
)

// flush commits a transaction with a record of no content, and waits as long for it as the
// server is set to, at least until it is on this server's disk.
func (d *DB) flush(ctx context.Context, all []waiting) (now marks, err error) {
	numbers, newest := make([]string, len(all)), int64(0)
	for i, w := range all {
		numbers[i] = strconv.FormatInt(w.number, 10)
		newest = max(newest, w.number)
	}
	c, _, err := d.take(ctx)
	if err != nil {
		return now, err
	}
	defer d.release(c)
	results, err := c.simple(ctx, strings.TrimSuffix(begin, "; ")+syncSQL+`;
SELECT m.changes, c.number, c.mark FROM `+d.where.schema()+`.meta m LEFT JOIN `+d.where.schema()+`.commits c ON c.number IN (`+strings.Join(numbers, ",")+`);
`+emitSQL+`; COMMIT`+d.notifySQL(newest))
	const read, committed = 2, 4 // numbers of results
	if err != nil {
		err = d.undo(ctx, c, err)
		if len(results) <= committed || results[committed].CommandTag.String() != "COMMIT" {
			return now, err
		}
		// Only the notification failed, and it may be lost; see Heard.
	}
	if len(results) <= read || len(results[read].Rows) == 0 {
		return now, d.lacksMeta()
	}
	now.by = map[int64]int64{}
	for _, r := range results[read].Rows {
		if now.changes, err = strconv.ParseInt(string(r[0]), 10, 64); err != nil {
			return now, err
		}
		if r[1] == nil {
			continue
		}
		number, err := strconv.ParseInt(string(r[1]), 10, 64)
		if err != nil {
			return now, err
		}
		if now.by[number], err = strconv.ParseInt(string(r[2]), 10, 64); err != nil {
			return now, err
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
