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

	errForesight = errors.New("a reader that is only foreseen cannot write")
)

// Foresee implements store.Foreseer.
func (c *conn) Foresee(ctx context.Context, ask func()) error {
	if c.learns != nil || c.open != nil || c.wrote || len(c.pending) > 0 {
		return nil
	}
	noted := map[string]bool{}
	for range mostRuns {
		l := &foresight{noted: noted}
		c.learns = l
		ask()
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

// guess returns the rows of the last answer to a question, and notes the question unless
// that answer holds. Before a View has begun, the newest known state counts.
func (c *conn) guess(q question) []relational.Row {
	l := c.learns
	if q.key == "" {
		return nil
	}
	a := &c.d.answers
	a.mu.Lock()
	found, known := a.by[q.key]
	holds := found.at == q.holds.at(c.now)
	if c.opening != nil {
		holds = a.likely(found, q)
	}
	a.mu.Unlock()
	if !(known && holds) && !l.noted[q.key] && len(l.asked) < mostForeseen {
		l.noted[q.key] = true
		l.asked = append(l.asked, q)
	}
	return found.rows
}
