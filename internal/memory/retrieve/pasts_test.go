package retrieve

import (
	"context"
	"errors"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cairn-kb/cairn/internal/store"
)

// temporary is a memory that notes when it is closed.
type temporary struct {
	store.Engine
	name   string
	closed *[]string
}

func (t temporary) Close() error {
	*t.closed = append(*t.closed, t.name)
	return nil
}

// asking is a test of what is kept. Its names are those of memories.
type asking struct {
	*testing.T
	pasts  Pasts
	now    time.Time
	closed []string
}

// take takes a memory, and reports whether it was there.
func (a *asking) take(name string) (*made, bool) {
	a.Helper()
	m, err := a.pasts.take(a.Context(), pastKey{name[0]})
	if err != nil {
		a.Fatal(err)
	}
	there := m.temp != nil
	if !there {
		m.temp = temporary{name: name, closed: &a.closed}
	}
	return m, there
}

func (a *asking) leave(m *made, bytes int64, failed bool) {
	a.Helper()
	if err := a.pasts.leave(m, a.now, bytes, failed); err != nil {
		a.Fatal(err)
	}
}

// ask asks about a memory of that many bytes.
func (a *asking) ask(name string, bytes int64, want bool) {
	a.Helper()
	m, there := a.take(name)
	if there != want {
		a.Errorf("%s was there: %v", name, there)
	}
	a.leave(m, bytes, false)
}

func (a *asking) wantClosed(names ...string) {
	a.Helper()
	if !slices.Equal(a.closed, names) {
		a.Errorf("closed are %q, want %q", a.closed, names)
	}
	a.closed = nil
}

func TestPastsAreBounded(t *testing.T) {
	t.Parallel()
	const mib = 1 << 20
	a := &asking{T: t, now: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)}
	a.ask("a", mib, false)
	a.ask("b", mib, false)
	a.ask("a", mib, true)
	a.wantClosed()
	a.ask("c", mib, false)
	a.wantClosed("b") // a was asked about later
	a.ask("a", 200*mib, true)
	a.ask("c", 57*mib, true)
	a.wantClosed("a") // together they are more than 256 MiB
	a.ask("large", 257*mib, false)
	a.wantClosed("c", "large")
	a.ask("d", mib, false)
	a.now = a.now.Add(pastsFor - 1)
	if err := a.pasts.Drop(a.now); err != nil {
		t.Fatal(err)
	}
	a.wantClosed()
	a.ask("d", mib, true)
	a.now = a.now.Add(pastsFor)
	if err := a.pasts.Drop(a.now); err != nil {
		t.Fatal(err)
	}
	a.wantClosed("d")
	a.ask("e", mib, false)
	m, _ := a.take("f")
	if err := a.pasts.Close(); err != nil {
		t.Fatal(err)
	}
	a.wantClosed("e") // f is being asked
	a.leave(m, mib, false)
	a.wantClosed("f")
}

// One question is asked of a memory at a time, and those that wait for one that
// could not be made try it themselves.
func TestPastsTakeTurns(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		a := &asking{T: t}
		m, _ := a.take("a")
		var there []bool
		done := make(chan bool)
		for range 2 {
			go func() {
				m, was := a.take("a")
				there = append(there, was)
				a.leave(m, 1, false)
				done <- true
			}()
		}
		ctx, cancel := context.WithCancel(t.Context())
		go func() {
			_, err := a.pasts.take(ctx, pastKey{'a'})
			done <- errors.Is(err, context.Canceled)
		}()
		synctest.Wait()
		if len(there) != 0 {
			t.Error("two questions are asked of one memory")
		}
		cancel()
		if !<-done {
			t.Error("a question that was cancelled waits")
		}
		a.leave(m, 1, true)
		<-done
		<-done
		if !slices.Equal(there, []bool{false, true}) {
			t.Errorf("it was there: %v", there)
		}
		if err := a.pasts.Close(); err != nil {
			t.Fatal(err)
		}
		if len(a.closed) != 2 {
			t.Errorf("closed are %q", a.closed)
		}
	})
}
