package torture

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"
)

// load is something that keeps a memory busy until it is killed.
type load interface {
	awaitEvents(n int, moment time.Duration)
	kill() []event
}

// record is what somebody has said so far.
type record struct {
	mu     sync.Mutex
	more   *sync.Cond
	events []event
	ended  chan struct{} // closed when nothing more will be said
}

func newRecord() *record {
	r := &record{ended: make(chan struct{})}
	r.more = sync.NewCond(&r.mu)
	return r
}

func (r *record) add(e event) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.events = append(r.events, e)
	r.more.Signal()
	return nil
}

func (r *record) end() {
	r.mu.Lock()
	defer r.mu.Unlock()
	close(r.ended)
	r.more.Signal()
}

func (r *record) over() bool {
	select {
	case <-r.ended:
		return true
	default:
		return false
	}
}

// awaitEvents returns some moment after so much has been said.
func (r *record) awaitEvents(n int, moment time.Duration) {
	r.mu.Lock()
	for len(r.events) < n && !r.over() {
		r.more.Wait()
	}
	r.mu.Unlock()
	// Which moment it is decides nothing; that it is any one is the point.
	select {
	case <-r.ended:
	case <-time.After(moment):
	}
}

// herd is workers that have the real binary do their jobs.
type herd struct {
	*record
	t     *testing.T
	hands killable
}

// killable is a hand that can be killed.
type killable interface {
	hand
	kill() error
}

// newHerd has a job a worker; hands are commands, a process for each, or a
// server that does everything.
func newHerd(t *testing.T, home, name string, hands killable, seed uint64, work ...string) *herd {
	t.Helper()
	h := &herd{record: newRecord(), t: t, hands: hands}
	var all sync.WaitGroup
	for i, job := range work {
		w := &worker{
			hand: h.hands, say: h.add, who: name + "." + job, home: home,
			rng: rand.New(rand.NewPCG(seed, uint64(i))),
		}
		all.Go(func() {
			if err := jobs[job](w, context.Background()); !errors.Is(err, errKilled) {
				t.Errorf("%s ended by itself: %v", w.who, err)
			}
		})
	}
	go func() {
		all.Wait()
		h.end()
	}()
	return h
}

// kill ends the commands that are at work, and returns all that was said.
func (h *herd) kill() []event {
	h.t.Helper()
	if err := h.hands.kill(); err != nil {
		h.t.Error(err)
	}
	<-h.ended
	return h.events
}

// child is a process with workers of its own.
type child struct {
	*record
	t          *testing.T
	cmd        *exec.Cmd
	in         io.WriteCloser
	complaints *strings.Builder
}

func start(t *testing.T, home, name string, seed uint64, limit int, work string) *child {
	t.Helper()
	c := &child{record: newRecord(), t: t}
	c.cmd, c.complaints = process(t, "load", fmt.Sprintf("%s %s %d %d %s", home, name, seed, limit, work))
	out, err := c.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if c.in, err = c.cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	if err := c.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		lines := bufio.NewScanner(out)
		for lines.Scan() {
			var e event
			if err := json.Unmarshal(lines.Bytes(), &e); err != nil {
				t.Errorf("%v in %q", err, lines.Text())
			}
			_ = c.add(e) // never fails
		}
		c.end()
	}()
	return c
}

// kill ends the process and returns all that it said.
func (c *child) kill() []event {
	c.t.Helper()
	if c.over() {
		c.t.Error("the process ended by itself")
	}
	if err := c.cmd.Process.Kill(); err != nil {
		c.t.Error(err)
	}
	<-c.ended
	_ = c.cmd.Wait() // killed, so always an error
	if c.complaints.Len() > 0 {
		c.t.Error(c.complaints)
	}
	return c.events
}

// finish closes the process's standard input, awaits its end and returns all
// that it said.
func (c *child) finish() []event {
	c.t.Helper()
	if err := c.in.Close(); err != nil {
		c.t.Error(err)
	}
	<-c.ended
	if err := c.cmd.Wait(); err != nil {
		c.t.Errorf("%v: %s", err, c.complaints)
	}
	return c.events
}
