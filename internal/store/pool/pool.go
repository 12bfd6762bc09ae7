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
	most     int           // maximum in use at once; 0 for no maximum
	full     time.Duration // how long Take waits if the maximum is in use

	mu      sync.Mutex
	idle    []C
	used    int      // taken and not returned
	handed  int      // passed to a waiting caller
	waiting []chan C // waiting readers, in order of arrival
	closed  bool
}

// New returns a pool that keeps up to keep connections, in use or idle. If all of them are
// in use, Take waits for one of them. It opens another one if fewer than half come back
// within patience: the rest is then blocked, for example by readers that need another
// connection themselves.
func New[C any](keep int, patience time.Duration) *Pool[C] {
	return &Pool[C]{keep: keep, patience: patience}
}

// Limit sets the maximum number of connections in use, and how long Take waits if it is
// reached. It must be called before the first Take.
func (p *Pool[C]) Limit(most int, wait time.Duration) { p.most, p.full = most, wait }

// ErrFull is the error of Take if the maximum number of connections is in use.
var ErrFull = errors.New("too many connections are in use")

// ErrClosed is the error of Take once the pool is closed.
var ErrClosed = errors.New("closed")

// Take takes an idle connection. If found is false, the caller opens one; in both cases Put
// or Drop returns it. On an error nothing was taken: ErrClosed, ErrFull, or the error of ctx
// while the pool was full.
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

// wait waits for a connection, and gives up after some time.
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

// giveUp ends a wait, unless the maximum number of connections is in use or others are
// getting theirs.
func (p *Pool[C]) giveUp(ctx context.Context, turn chan C, late, moves bool) (c C, found, done bool, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	i := slices.Index(p.waiting, turn)
	if i < 0 { // a connection was passed at the same time
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

// Put returns a connection. If it is not kept, the caller closes it.
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

// Idle takes all idle connections; each is returned with Put or Drop.
func (p *Pool[C]) Idle() []C {
	p.mu.Lock()
	defer p.mu.Unlock()
	idle := p.idle
	p.idle = nil
	p.used += len(idle)
	return idle
}

// Close closes the pool and returns the idle connections; first reports whether the pool was
// open.
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
