package terminal

import (
	"bytes"
	"testing"
	"time"
)

// drawn receives what is drawn.
type drawn chan string

func (d drawn) Write(text []byte) (int, error) {
	d <- string(text)
	return len(text), nil
}

func TestWaiting(t *testing.T) {
	t.Parallel()
	at := func(passed time.Duration) (*Waiting, drawn, chan time.Time) {
		out, ticks, first := make(drawn, 9), make(chan time.Time), true
		w := NewWaiting(out, func() time.Time {
			begun := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
			if first {
				first = false
				return begun
			}
			return begun.Add(passed)
		}, func(time.Duration) <-chan time.Time { return ticks })
		w.Begin()
		return w, out, ticks
	}
	const shown, cleared = "\r\x1b[Kworking, 7 s", "\r\x1b[K"
	next := func(out drawn, want string) {
		t.Helper()
		if got := <-out; got != want {
			t.Errorf("%q is drawn, not %q", got, want)
		}
	}
	nothing := func(out drawn, ticks chan time.Time) {
		t.Helper()
		ticks <- time.Time{}
		ticks <- time.Time{} // the first one was seen
		if len(out) > 0 {
			t.Errorf("%q is drawn", <-out)
		}
	}

	w, out, ticks := at(time.Second) // too early
	nothing(out, ticks)
	w.End()

	w, out, ticks = at(7 * time.Second)
	ticks <- time.Time{}
	next(out, shown)
	var printed bytes.Buffer
	if _, err := w.Before(&printed).Write([]byte("done\n")); err != nil || printed.String() != "done\n" {
		t.Errorf("%q is printed: %v", &printed, err)
	}
	next(out, cleared)

	w, out, ticks = at(7 * time.Second)
	ticks <- time.Time{}
	next(out, shown)
	release := w.Hold()
	next(out, cleared)
	nothing(out, ticks)
	w.End()
	release()

	w, out, ticks = at(7 * time.Second)
	w.Hold()()
	ticks <- time.Time{}
	next(out, shown)
	w.End()
	next(out, cleared)

	w = nil // where nobody watches
	w.Begin()
	w.Hold()()
	w.End()
}
