package watch

import (
	"errors"
	"os"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/fsnotify/fsnotify"
)

// held is the system's notifier whose events wait in the system's queue until a
// test lets them go.
type held struct {
	notifier
	events chan fsnotify.Event
	errs   chan error
	closed chan struct{}
	work   sync.WaitGroup
}

// hold passes on what n tells once let is closed, and notes in lost that the
// queue was full.
func hold(n notifier, let <-chan struct{}, lost *atomic.Bool) *held {
	h := &held{notifier: n, events: make(chan fsnotify.Event), errs: make(chan error), closed: make(chan struct{})}
	h.work.Go(func() {
		select {
		case <-let:
		case <-h.closed:
		}
		events, errs := n.channels()
		for {
			select {
			case <-h.closed:
				return
			case e := <-events:
				select {
				case h.events <- e:
				case <-h.closed:
				}
			case err := <-errs:
				lost.Store(lost.Load() || errors.Is(err, fsnotify.ErrEventOverflow))
				select {
				case h.errs <- err:
				case <-h.closed:
				}
			}
		}
	})
	return h
}

func (h *held) channels() (<-chan fsnotify.Event, <-chan error) { return h.events, h.errs }

func (h *held) Close() error {
	close(h.closed)
	h.work.Wait()
	return h.notifier.Close()
}

// The system's own queue runs over: what it dropped is found, and a directory
// that came then is watched.
func TestOverflowOfTheSystem(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("/proc/sys/fs/inotify/max_queued_events")
	if err != nil {
		t.Fatal(err)
	}
	most, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil {
		t.Fatal(err)
	}
	b := newWatchedDir(t)
	let, lost := make(chan struct{}), new(atomic.Bool)
	b.w.notify = func() (notifier, error) {
		n, err := systemNotifier()
		if err != nil {
			return nil, err
		}
		return hold(n, let, lost), nil
	}
	b.write("one", "")
	b.run()
	b.until()
	// Two events each, and some that were taken from the queue already.
	for range most/4 + 4096 {
		b.rename("one", "other")
		b.rename("other", "one")
	}
	b.write("new/a.md", "1")
	close(let)
	b.until("new/a.md:1")
	if !lost.Load() {
		t.Fatal("the queue was not full: this shows nothing")
	}
	b.write("new/b.md", "1")
	b.until("new/a.md:1", "new/b.md:1")
	if got := b.w.State(); got.Mode != Events {
		t.Errorf("the watcher is %+v, want events", got)
	}
}
