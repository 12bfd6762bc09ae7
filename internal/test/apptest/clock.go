package apptest

import (
	"sync"
	"time"
)

// A Clock is one that a test sets. Background work of a memory reads it, too,
// so that it may be used by several goroutines.
type Clock struct {
	mu   sync.Mutex
	now  time.Time
	step time.Duration
}

// Clock gives the memory, opened after it, a clock that goes on by step whenever
// somebody looks.
func (b *Bed) Clock(now time.Time, step time.Duration) *Clock {
	c := &Clock{now: now, step: step}
	b.Opts.Now = c.Now
	return c
}

// Now is what memory.Options asks: a step later than the last time.
func (c *Clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(c.step)
	return c.now
}

// Last returns what the clock showed last, which does not make it go on.
func (c *Clock) Last() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

// Set makes the clock go on from now.
func (c *Clock) Set(now time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = now
}

// Advance sets the clock forward, or back.
func (c *Clock) Advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}
