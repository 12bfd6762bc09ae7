// Package pool keeps idle connections of databases.
package pool

import (
	"context"
	"slices"
	"sync"
	"time"
)

// Pool keeps idle connections. It is made by New and safe for concurrent
// use.
type Pool[C any] struct {
	keep     int
	patience time.Duration

	mu      sync.Mutex
	idle    []C
	used    int      // taken and not given back
	waiting []chan C // waiting readers, in order of arrival
	closed  bool
}

// New returns a pool of up to keep connections, in use or idle. When all of
// them are in use, Take waits up to patience for one of them.
func New[C any](keep int, patience time.Duration) *Pool[C] {
	return &Pool[C]{keep: keep, patience: patience}
}

// Take takes an idle connection. If found is false the caller opens one; in both
// cases Put or Drop returns it. Once the pool is closed, open is false and nothing
// was taken.
func (p *Pool[C]) Take(ctx context.Context) (c C, found, open bool) {
	p.mu.Lock()
	if p.closed {
		p.mu.Unlock()
		return c, false, false
	}
	if n := len(p.idle); n > 0 {
		c = p.idle[n-1]
		p.idle = p.idle[:n-1]
		p.used++
		p.mu.Unlock()
		return c, true, true
	}
	if p.used < p.keep {
		p.used++
		p.mu.Unlock()
		return c, false, true
	}
	turn := make(chan C, 1)
	p.waiting = append(p.waiting, turn)
	p.mu.Unlock()
	return p.wait(ctx, turn)
}

// wait waits for its turn, and gives it up where that takes too long.
func (p *Pool[C]) wait(ctx context.Context, turn chan C) (c C, found, open bool) {
	ctx, cancel := context.WithTimeout(ctx, p.patience)
	defer cancel()
	select {
	case c = <-turn:
		return c, true, true
	case <-ctx.Done():
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	i := slices.Index(p.waiting, turn)
	if i < 0 { // its turn came at the same time
		return <-turn, true, true
	}
	p.waiting = slices.Delete(p.waiting, i, i+1)
	if p.closed {
		return c, false, false
	}
	p.used++
	return c, false, true
}

// Put gives a connection back. Where it is not kept, the caller closes it.
func (p *Pool[C]) Put(c C) (kept bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		p.used--
		return false
	}
	if len(p.waiting) > 0 {
		p.waiting[0] <- c
		p.waiting = slices.Delete(p.waiting, 0, 1)
		return true
	}
	p.used--
	if len(p.idle)+p.used >= p.keep {
		return false
	}
	p.idle = append(p.idle, c)
	return true
}

// Drop records that a taken connection was closed, or was never opened.
func (p *Pool[C]) Drop() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.used--
}

// Idle takes all connections that are not in use; each goes back with Put or
// Drop.
func (p *Pool[C]) Idle() []C {
	p.mu.Lock()
	defer p.mu.Unlock()
	idle := p.idle
	p.idle = nil
	p.used += len(idle)
	return idle
}

// Close stops keeping connections and returns the idle ones, once: first
// reports whether the pool was open.
func (p *Pool[C]) Close() (idle []C, first bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return nil, false
	}
	p.closed = true
	idle = p.idle
	p.idle = nil
	return idle, true
}

// Closed reports whether Close was called.
func (p *Pool[C]) Closed() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.closed
}
