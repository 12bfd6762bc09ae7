package postgres

import (
	"context"
	"errors"

	"github.com/cairn-kb/cairn/internal/store"
	"github.com/cairn-kb/cairn/internal/store/relational"
)

// A reader is run with the rows that are known, or nearly known: questions that depend on no
// other answer are asked in one round trip, then those that depend on these.

// foresight lists the questions of one run.
type foresight struct {
	asked []question
	noted map[string]bool // by key, of all runs
}

const (
	// mostRuns is how often a reader is run at most.
	mostRuns = 6
	// mostForeseen is how many questions are asked together.
	mostForeseen = 400
)

var (
	_ store.Foreseer = (*conn)(nil)

	errForesight = errors.New("a foreseen reader cannot write")
)

// Foresee implements store.Foreseer.
func (c *conn) Foresee(ctx context.Context, ask func()) error {
	if c.learns != nil || c.open != nil {
		return nil
	}
	noted := map[string]bool{}
	for range mostRuns {
		l := &foresight{noted: noted}
		c.learns = l
		foreseen(ask)
		c.learns = nil
		if err := ctx.Err(); err != nil {
			return err
		}
		if len(l.asked) == 0 {
			return nil
		}
		if _, err := c.askAll(ctx, l.asked); err != nil {
			return err
		}
	}
	return nil
}

// foreseen calls ask. Rows that are missing may be some that it counts on: where it panics for
// want of them, nothing more is foreseen. A fault of its own comes up when it is called again.
func foreseen(ask func()) {
	defer func() { _ = recover() }()
	ask()
}

// guess returns the rows of the last answer to a question, and notes the question unless
// that answer holds. Before a View has begun, the newest known state counts.
func (c *conn) guess(q question) []relational.Row {
	l := c.learns
	if q.key == "" {
		return nil
	}
	a := &c.d.answers
	a.mu.Lock()
	defer a.mu.Unlock() // also for l: ask may use several goroutines
	if own, known := c.own[q.key]; known && q.own {
		return own.rows
	}
	found, known := a.by[q.key]
	holds := !q.own && found.at == q.holds.at(c.now)
	if c.opening != nil && !q.own {
		holds = a.likely(found, q)
	}
	if !(known && holds) && !l.noted[q.key] && len(l.asked) < mostForeseen {
		l.noted[q.key] = true
		l.asked = append(l.asked, q)
	}
	return found.rows
}
