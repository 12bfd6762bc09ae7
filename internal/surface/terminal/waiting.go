package terminal

import (
	"fmt"
	"io"
	"sync"
	"time"
)

// A command that printed nothing for waitingAfter shows that it works, and for how long.
const (
	waitingAfter = 2 * time.Second
	waitingPause = time.Second
)

// Waiting shows on a terminal that a command works, until there is something else to see.
// Its methods may be called from several goroutines.
type Waiting struct {
	out   io.Writer
	now   func() time.Time
	after func(time.Duration) <-chan time.Time

	mu    sync.Mutex
	since time.Time
	ended chan struct{} // nil while nothing waits
	done  chan struct{} // closed when the goroutine has returned
	held  int
	drawn bool
}

// NewWaiting returns a Waiting that draws on a terminal.
func NewWaiting(out io.Writer, now func() time.Time, after func(time.Duration) <-chan time.Time) *Waiting {
	return &Waiting{out: out, now: now, after: after}
}

// Begin starts to wait for the first output. Nothing happens where it waits already.
func (w *Waiting) Begin() {
	if w == nil {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.ended != nil {
		return
	}
	ended, done := make(chan struct{}), make(chan struct{})
	w.since, w.ended, w.done = w.now(), ended, done
	go func() {
		defer close(done)
		for {
			select {
			case <-ended:
				return
			case <-w.after(waitingPause):
				w.draw(ended)
			}
		}
	}()
}

func (w *Waiting) draw(of chan struct{}) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if passed := w.now().Sub(w.since); w.ended == of && w.held == 0 && passed >= waitingAfter {
		fmt.Fprintf(w.out, "\r\x1b[Kworking, %d s", int(passed.Seconds()))
		w.drawn = true
	}
}

// End clears the line, and draws none until Begin.
func (w *Waiting) End() {
	if w == nil {
		return
	}
	w.mu.Lock()
	ended, done := w.ended, w.done
	w.ended = nil
	w.clear()
	w.mu.Unlock()
	if ended != nil {
		close(ended)
		<-done
	}
}

// Hold clears the line, and draws none until release is called.
func (w *Waiting) Hold() (release func()) {
	if w == nil {
		return func() {}
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.held++
	w.clear()
	return func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.held--
	}
}

func (w *Waiting) clear() {
	if w.drawn {
		fmt.Fprint(w.out, "\r\x1b[K")
		w.drawn = false
	}
}

// Before returns a stream: its first output ends the wait.
func (w *Waiting) Before(out io.Writer) io.Writer { return &awaited{w, out} }

type awaited struct {
	waiting *Waiting
	out     io.Writer
}

func (a *awaited) Write(text []byte) (int, error) {
	a.waiting.End()
	return a.out.Write(text)
}
