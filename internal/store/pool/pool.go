// Package pool keeps idle connections of databases.
package pool

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"sync"
	"time"
)

// Pool keeps idle connections. It is made by New and safe for concurrent
// use.
type Pool[C any] struct {
	keep     int
	patience time.Duration
	most     int           // in use at once; 0 for any number
	full     time.Duration // how long Take waits when so many are

	mu      sync.Mutex
	idle    []C
	used    int      // taken and not given back
	handed  int      // given to one who waited
	waiting []chan C // waiting readers, in order of arrival
	closed  bool
}

// New returns a pool of up to keep connections, in use or idle. When all of
// them are in use, Take waits for one of them, and opens another one where fewer than half come
// back within patience: the rest is held, such as by readers that wait for another one themselves.
func New[C any](keep int, patience time.Duration) *Pool[C] {
	return &Pool[C]{keep: keep, patience: patience}
}

// Limit has no more than most connections be in use at once. When so many are, Take waits up
// to wait. It is called before the first Take.
func (p *Pool[C]) Limit(most int, wait time.Duration) { p.most, p.full = most, wait }

// ErrFull is the error of Take when as many connections are in use as may be.
var ErrFull = errors.New("too many connections are in use")

// ErrClosed is the error of Take once the pool is closed.
var ErrClosed = errors.New("closed")

// Take takes an idle connection. If found is false the caller opens one; in both
// cases Put or Drop returns it. With an error nothing was taken: ErrClosed, ErrFull, or that
// of ctx while the pool was full.
func (p *Pool[C]) Take(ctx context.Context) (c C, found bool, err error) {
	p.mu.Lock()
	if p.closed {
		p.mu.Unlock()
		return c, false, ErrClosed
	}
	if n := len(p.idle); n > 0 {
		c = p.idle[n-1]
		p.idle = p.idle[:n-1]
		p.used++
		p.mu.Unlock()
		return c, true, nil
	}
	if p.used < p.keep {
		p.used++
		p.mu.Unlock()
		return c, false, nil
	}
	turn := make(chan C, 1)
	p.waiting = append(p.waiting, turn)
	p.mu.Unlock()
	return p.wait(ctx, turn)
}

// wait waits for its turn, and gives it up where that takes too long.
func (p *Pool[C]) wait(ctx context.Context, turn chan C) (c C, found bool, err error) {
	whole, cancel := context.WithTimeout(ctx, max(p.patience, p.full))
	defer cancel()
	handed := p.handedOver()
	for {
		soon, cancel := context.WithTimeout(whole, p.patience)
		select {
		case c = <-turn:
			cancel()
			return c, true, nil
		case <-soon.Done():
			cancel()
		}
		now := p.handedOver()
		moves := 2*(now-handed) >= p.keep
		handed = now
		if c, found, done, err := p.giveUp(ctx, turn, whole.Err() != nil, moves); done {
			return c, found, err
		}
	}
}

func (p *Pool[C]) handedOver() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.handed
}

// giveUp ends the wait for a turn, unless no more connections may be in use, or the line moves.
func (p *Pool[C]) giveUp(ctx context.Context, turn chan C, late, moves bool) (c C, found, done bool, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	i := slices.Index(p.waiting, turn)
	if i < 0 { // its turn came at the same time
		return <-turn, true, true, nil
	}
	full := p.most > 0 && p.used >= p.most
	if (full || moves) && !p.closed && !late && ctx.Err() == nil {
		return c, false, false, nil
	}
	p.waiting = slices.Delete(p.waiting, i, i+1)
	switch {
	case p.closed:
		return c, false, true, ErrClosed
	case !full:
		p.used++
		return c, false, true, nil
	}
	return c, false, true, cmp.Or(ctx.Err(), ErrFull)
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
		p.handed++
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
