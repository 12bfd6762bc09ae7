package storetest

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/store"
)

// lock takes a lock that is free.
func (e *env) lock(m store.Engine, name string, mode store.LockMode) (unlock func() error) {
	e.Helper()
	unlock, err := m.Lock(e.ctx, name, mode, time.Minute)
	if err != nil {
		e.Fatal(err)
	}
	return unlock
}

// wantBusy fails the test unless the lock is refused because it is held.
func (e *env) wantBusy(m store.Engine, name string, mode store.LockMode) {
	e.Helper()
	unlock, err := m.Lock(e.ctx, name, mode, 0)
	if err == nil {
		e.Error("two have the lock")
		e.check(unlock())
		return
	}
	if !errors.Is(err, store.ErrBusy) || kb.CodeOf(err) != kb.Conflict || kb.AsError(err).Details["busy"] != true || kb.AsError(err).Hint == "" {
		e.Errorf("error %#v", err)
	}
}

var lockTests = map[string]func(*testing.T, *env){
	"Exclusive": func(_ *testing.T, e *env) {
		second := e.open(e.T, e.dir)
		unlock := e.lock(e.m, "x", store.Exclusive)
		for _, m := range []store.Engine{e.m, second} {
			e.wantBusy(m, "x", store.Exclusive)
			e.wantBusy(m, "x", store.Shared)
			e.check(e.lock(m, "y", store.Exclusive)()) // another name is another lock
		}
		e.check(unlock())
		again := e.lock(second, "x", store.Exclusive)
		e.check(unlock()) // a second call does nothing
		e.wantBusy(e.m, "x", store.Exclusive)
		e.check(again())
	},
	"Shared": func(_ *testing.T, e *env) {
		second := e.open(e.T, e.dir)
		var shares []func() error
		for _, m := range []store.Engine{e.m, second, e.m} {
			shares = append(shares, e.lock(m, "x", store.Shared))
		}
		for _, unlock := range shares {
			e.wantBusy(e.m, "x", store.Exclusive)
			e.wantBusy(second, "x", store.Exclusive)
			e.check(errors.Join(unlock(), unlock()))
		}
		e.check(e.lock(second, "x", store.Exclusive)())
	},
	"OtherMemory": func(t *testing.T, e *env) {
		other := e.open(t, t.TempDir())
		unlock := e.lock(e.m, "x", store.Exclusive)
		e.check(e.lock(other, "x", store.Exclusive)())
		e.check(unlock())
	},
	"OneAtATime": func(_ *testing.T, e *env) {
		second := e.open(e.T, e.dir)
		var wg sync.WaitGroup
		n := 0 // guarded by the lock
		for i := range 8 {
			m := []store.Engine{e.m, second}[i%2]
			wg.Go(func() {
				for range 5 {
					unlock, err := m.Lock(e.ctx, "x", store.Exclusive, time.Minute)
					if err != nil {
						e.Error(err)
						return
					}
					n++
					e.check(unlock())
				}
			})
		}
		wg.Wait()
		e.same(n, 40)
	},
	"OneOfThoseThatTryAtOnce": func(_ *testing.T, e *env) {
		engines := []store.Engine{e.m, e.open(e.T, e.dir), e.open(e.T, e.dir), e.open(e.T, e.dir)}
		for range 25 {
			var wg sync.WaitGroup
			begin, unlocks := make(chan struct{}), make([]func() error, len(engines))
			for i, m := range engines {
				wg.Go(func() {
					<-begin
					unlock, err := m.Lock(e.ctx, "x", store.Exclusive, 0)
					if err != nil && !errors.Is(err, store.ErrBusy) {
						e.Error(err)
					}
					unlocks[i] = unlock
				})
			}
			close(begin)
			wg.Wait()
			n := 0
			for _, unlock := range unlocks {
				if unlock != nil {
					n++
					e.check(unlock())
				}
			}
			if n != 1 {
				e.Errorf("%d of %d that tried got the lock", n, len(engines))
			}
		}
	},
	"CancelledContext": func(_ *testing.T, e *env) {
		unlock := e.lock(e.m, "x", store.Exclusive)
		for _, mode := range []store.LockMode{store.Exclusive, store.Shared} {
			ctx, cancel := context.WithCancel(e.ctx)
			done := make(chan error)
			go func() {
				_, err := e.m.Lock(ctx, "x", mode, time.Minute)
				done <- err
			}()
			cancel()
			if err := <-done; !errors.Is(err, context.Canceled) {
				e.Error(err)
			}
		}
		e.check(unlock())
		e.check(e.lock(e.m, "x", store.Exclusive)())
	},
	"BesideTransactions": func(_ *testing.T, e *env) {
		unlock := e.lock(e.m, "x", store.Exclusive)
		e.check(e.add(e.m, "n"))
		e.update(func(store.Tx) error {
			e.wantBusy(e.m, "x", store.Exclusive)
			e.check(e.lock(e.m, "y", store.Exclusive)())
			return nil
		})
		e.check(unlock())
	},
}
