package pool

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// take takes what must be there, or must be opened.
func take(t *testing.T, p *Pool[int], want int, wantFound bool) {
	t.Helper()
	c, found, err := p.Take(t.Context())
	if err != nil || found != wantFound || c != want {
		t.Fatalf("took %d, found %v, %v; want %d, %v", c, found, err, want, wantFound)
	}
}

func TestTheLastOneGivenBackComesFirst(t *testing.T) {
	t.Parallel()
	p := New[int](2, time.Second)
	take(t, p, 0, false)
	take(t, p, 0, false)
	if !p.Put(1) || !p.Put(2) {
		t.Fatal("not kept")
	}
	take(t, p, 2, true)
	take(t, p, 1, true)
}

func TestWaitsForOneInUse(t *testing.T) {
	// Serial: it measures time.
	synctest.Test(t, func(t *testing.T) {
		p := New[int](1, time.Second)
		take(t, p, 0, false)
		begin := time.Now()
		go func() {
			half, cancel := context.WithTimeout(t.Context(), time.Second/2)
			defer cancel()
			<-half.Done()
			if !p.Put(7) {
				t.Error("not handed over")
			}
		}()
		take(t, p, 7, true)
		if took := time.Since(begin); took != time.Second/2 {
			t.Errorf("waited %v", took)
		}
		// Nobody gives one back: another one is opened after a while, and closed later.
		begin = time.Now()
		take(t, p, 0, false)
		if took := time.Since(begin); took != time.Second {
			t.Errorf("waited %v for its own end", took)
		}
		if p.Put(8) {
			t.Error("kept more than it may")
		}
		if !p.Put(7) {
			t.Error("did not keep what it may")
		}
		take(t, p, 7, true)
	})
}

// With a limit a reader waits longer, for a connection that comes back or is closed, and then
// fails.
func TestLimit(t *testing.T) {
	// Serial: it measures time.
	synctest.Test(t, func(t *testing.T) {
		p := New[int](1, time.Second)
		p.Limit(2, 10*time.Second)
		take(t, p, 0, false)
		take(t, p, 0, false) // after a second: as many as may be
		begin := time.Now()
		if _, _, err := p.Take(t.Context()); err != ErrFull || time.Since(begin) != 10*time.Second {
			t.Errorf("%v after %v", err, time.Since(begin))
		}
		short, cancel := context.WithTimeout(t.Context(), 3*time.Second/2)
		defer cancel()
		if _, _, err := p.Take(short); err != context.DeadlineExceeded {
			t.Errorf("%v", err)
		}
		go func() {
			<-time.After(5 * time.Second / 2)
			p.Drop()
		}()
		take(t, p, 0, false)
		go func() {
			<-time.After(5 * time.Second / 2)
			p.Put(7)
		}()
		take(t, p, 7, true)
	})
}

// Where all connections are busy, but come back, more of them would only take longer.
func TestOpensNoMoreWhileTheLineMoves(t *testing.T) {
	// Serial: it measures time.
	synctest.Test(t, func(t *testing.T) {
		p := New[int64](4, time.Second)
		p.Limit(40, time.Minute)
		var opened atomic.Int64
		var all sync.WaitGroup
		for range 64 {
			all.Go(func() {
				c, found, err := p.Take(t.Context())
				if err != nil {
					t.Error(err)
					return
				}
				if !found {
					c = opened.Add(1)
				}
				<-time.After(900 * time.Millisecond) // its work
				if !p.Put(c) {
					t.Error("not kept")
				}
			})
		}
		all.Wait()
		if n := opened.Load(); n != 4 {
			t.Errorf("opened %d", n)
		}
	})
}

func TestNobodyWaitsForACancelledRead(t *testing.T) {
	t.Parallel()
	p := New[int](1, time.Hour)
	take(t, p, 0, false)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, found, err := p.Take(ctx); found || err != nil {
		t.Fatalf("found %v, %v", found, err)
	}
	p.Drop()
	if !p.Put(1) {
		t.Error("a read that waits no longer was given a connection")
	}
}

func TestClose(t *testing.T) {
	t.Parallel()
	p := New[int](2, time.Second)
	take(t, p, 0, false)
	take(t, p, 0, false)
	p.Put(1)
	idle, first := p.Close()
	if len(idle) != 1 || idle[0] != 1 || !first || !p.Closed() {
		t.Fatalf("closed with %v, first %v", idle, first)
	}
	if _, first := p.Close(); first {
		t.Error("closed twice")
	}
	if p.Put(2) {
		t.Error("a closed pool keeps")
	}
	if _, _, err := p.Take(t.Context()); err != ErrClosed {
		t.Error("a closed pool lends")
	}
}

// TestManyReaders opens no more than are kept while nobody takes long.
func TestManyReaders(t *testing.T) {
	t.Parallel()
	p := New[int64](4, time.Minute)
	var opened atomic.Int64
	var all sync.WaitGroup
	for range 64 {
		all.Go(func() {
			for range 100 {
				c, found, err := p.Take(t.Context())
				if err != nil {
					t.Error(err)
					return
				}
				if !found {
					c = opened.Add(1)
				}
				if !p.Put(c) {
					t.Error("not kept")
				}
			}
		})
	}
	all.Wait()
	if n := opened.Load(); n > 4 {
		t.Errorf("opened %d", n)
	}
	if idle := p.Idle(); len(idle) != int(opened.Load()) {
		t.Errorf("%d of %d came back", len(idle), opened.Load())
	}
}
