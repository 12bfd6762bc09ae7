package httpapi

import (
	"cmp"
	"container/list"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/cairn-kb/cairn/internal/kb"
)

// Limits bound the resources that clients can hold. DefaultLimits replaces zero
// values.
type Limits struct {
	Connections int           // open at once
	PerSecond   int           // new connections; more wait in the system's queue
	Header      time.Duration // for a request's headers to arrive
	Idle        time.Duration // of a connection between two requests
	Body        time.Duration // for the body of a request that is let in
	Refused     time.Duration // for the rest of a body after the request was answered
	AtWork      int           // requests that are answered at once; more wait for their turn
	Bytes       int64         // of large bodies that are held at once; one larger is held alone
	Stop        time.Duration // for bodies under way when the server stops, and for the last answers to leave
}

// DefaultLimits returns the limits of a Server that is given none.
func DefaultLimits() Limits {
	return Limits{
		Connections: 512, PerSecond: 500, AtWork: 64, Bytes: 64 << 20,
		Header: 5 * time.Second, Idle: time.Minute, Body: time.Minute, Refused: 2 * time.Second, Stop: time.Second,
	}
}

// orDefault returns the limits with defaults for zero values.
func (l Limits) orDefault() Limits {
	d := DefaultLimits()
	return Limits{
		cmp.Or(l.Connections, d.Connections), cmp.Or(l.PerSecond, d.PerSecond), cmp.Or(l.Header, d.Header), cmp.Or(l.Idle, d.Idle),
		cmp.Or(l.Body, d.Body), cmp.Or(l.Refused, d.Refused), cmp.Or(l.AtWork, d.AtWork), cmp.Or(l.Bytes, d.Bytes), cmp.Or(l.Stop, d.Stop),
	}
}

// gate is a listener that bounds the connections. Where all are taken, the one
// that has waited longest for its client gives way to the new one: idle
// connections lock nobody out. If all are busy, the new one is closed.
type gate struct {
	net.Listener
	limits Limits
	now    func() time.Time
	after  func(time.Duration) <-chan time.Time
	once   sync.Once
	ended  chan struct{}

	window time.Time // when the second began in which taken are counted
	taken  int

	mu      sync.Mutex
	open    map[net.Conn]*list.Element // nil while a request is under way
	waiting *list.List                 // of net.Conn, the longest first
}

func (s *Server) gate(l net.Listener) *gate {
	return &gate{
		Listener: l, limits: s.limits, now: s.opts.Now, after: s.opts.After,
		ended: make(chan struct{}), open: map[net.Conn]*list.Element{}, waiting: list.New(),
	}
}

// Accept implements net.Listener; one at a time calls it.
func (g *gate) Accept() (net.Conn, error) {
	for {
		for wait := g.pause(); wait != nil; wait = g.pause() {
			select {
			case <-wait:
			case <-g.ended:
				return nil, net.ErrClosed
			}
		}
		c, err := g.Listener.Accept()
		if err != nil {
			return nil, err
		}
		g.taken++
		out := &gated{Conn: c, gate: g}
		if g.admit(out) {
			return out, nil
		}
		_ = c.Close() // no client is served yet, so an error does not matter
	}
}

// pause is what to wait for before the next connection is taken, nil for
// nothing.
func (g *gate) pause() <-chan time.Time {
	now := g.now()
	if since := now.Sub(g.window); since < 0 || since >= time.Second {
		g.window, g.taken = now, 0
	}
	if g.taken < g.limits.PerSecond {
		return nil
	}
	return g.after(g.window.Add(time.Second).Sub(now))
}

// admit makes room for a connection, and reports whether there is any.
func (g *gate) admit(c net.Conn) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if len(g.open) >= g.limits.Connections {
		oldest := g.waiting.Front()
		if oldest == nil {
			return false
		}
		g.drop(oldest)
	}
	g.open[c] = g.waiting.PushBack(c)
	return true
}

// drop closes a connection that waits; g.mu is held.
func (g *gate) drop(e *list.Element) {
	c := e.Value.(*gated)
	g.waiting.Remove(e)
	delete(g.open, c)
	_ = c.Conn.Close() // its reader learns of it
}

// state is http.Server's ConnState hook.
func (g *gate) state(c net.Conn, to http.ConnState) {
	g.mu.Lock()
	defer g.mu.Unlock()
	e, open := g.open[c]
	if !open {
		return
	}
	if e != nil {
		g.waiting.Remove(e)
	}
	switch to {
	case http.StateNew, http.StateIdle:
		g.open[c] = g.waiting.PushBack(c)
	case http.StateActive:
		g.open[c] = nil
	default:
		delete(g.open, c)
	}
}

// clear closes the connections without a request: at the end nobody waits for
// them.
func (g *gate) clear() {
	g.mu.Lock()
	defer g.mu.Unlock()
	for e := g.waiting.Front(); e != nil; e = g.waiting.Front() {
		g.drop(e)
	}
}

// Close implements net.Listener.
func (g *gate) Close() error {
	g.once.Do(func() { close(g.ended) })
	return g.Listener.Close()
}

// gated is a connection that the gate counts until it is closed.
type gated struct {
	net.Conn
	gate *gate
}

func (c *gated) Close() error {
	c.gate.state(c, http.StateClosed)
	return c.Conn.Close()
}

// unread closes a connection on which more of a request may come after it was
// answered. Without it net/http would wait for the body of a request that was
// refused, without end.
func (s *Server) unread(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.ContentLength == 0 { // there is no body
			next.ServeHTTP(w, r)
			return
		}
		// With it the answer leaves before the body is looked at; whole takes it
		// back.
		w.Header().Set("Connection", "close")
		next.ServeHTTP(w, r)
		if w.Header().Get("Connection") == "close" {
			// As in whole: where deadlines cannot be set nobody is slow.
			_ = http.NewResponseController(w).SetReadDeadline(s.opts.Now().Add(s.limits.Refused))
		}
	})
}

// acquire waits until a request may be answered. Listening takes no turn.
func (s *Server) acquire(r *http.Request) (over func(), err error) {
	if err := s.turns.Acquire(r.Context(), 1); err != nil {
		return nil, gone()
	}
	return func() { s.turns.Release(1) }, nil
}

// gone is the error of a request for which nobody waits any more.
func gone() error {
	return kb.Errorf(kb.Internal, "given up: the client went away, or the server stops")
}

// begin notes that a request that was let in is under way, and reports whether
// it may be: a server that stops takes no new work.
func (s *Server) begin() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.stopping.Err() != nil {
		return false
	}
	s.working++
	return true
}

// done notes the end of a request that began.
func (s *Server) done() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.working--; s.working == 0 && s.stopping.Err() != nil {
		close(s.idle)
	}
}

// halt takes no new work from now on. What it returns is closed when none is
// under way any more.
func (s *Server) halt() <-chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.stopping.Err() == nil {
		s.stop()
		if s.working == 0 {
			close(s.idle)
		}
	}
	return s.idle
}
