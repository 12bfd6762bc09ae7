package pgtest

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
)

// Proxy is between a client and a server. It counts round trips, and can cut
// connections.
type Proxy struct {
	Dir string // of its socket

	to      string
	trips   atomic.Int64
	dialled atomic.Int64

	stalled sync.RWMutex // held while nothing is delivered
	last    atomic.Int64 // the trip that CutAt named; 0 for none
	early   atomic.Bool  // its request is not delivered, rather than its answer

	mu         sync.Mutex
	statements []string
	open       map[net.Conn]bool
}

// NewProxy returns a proxy to a server, until the test ends.
func NewProxy(t testing.TB, s *Server) *Proxy {
	t.Helper()
	dir, err := os.MkdirTemp("", "cairn-px-") // the path of a socket is short
	if err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("unix", filepath.Join(dir, ".s.PGSQL.5432"))
	if err != nil {
		t.Fatal(err)
	}
	p := &Proxy{Dir: dir, to: filepath.Join(s.Dir, ".s.PGSQL.5432"), open: map[net.Conn]bool{}}
	t.Cleanup(func() {
		_ = l.Close()
		p.Cut()
		_ = os.RemoveAll(dir)
	})
	go func() {
		for {
			client, err := l.Accept()
			if err != nil {
				return
			}
			go p.serve(client)
		}
	}()
	return p
}

// URL returns the URL of a memory by way of the proxy.
func (p *Proxy) URL(where string) string {
	u, err := url.Parse(where)
	if err != nil {
		return where
	}
	q := u.Query()
	q.Set("host", p.Dir)
	u.RawQuery = q.Encode()
	return u.String()
}

// Reset begins to count again.
func (p *Proxy) Reset() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.trips.Store(0)
	p.dialled.Store(0)
	p.statements = nil
}

// Trips returns how often a client waited for an answer, and how many connections were made.
func (p *Proxy) Trips() (trips, dialled int64) { return p.trips.Load(), p.dialled.Load() }

// Statements returns the texts that were sent, each as "trip: text".
func (p *Proxy) Statements() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.statements
}

// Stall delivers nothing until the returned function is called, and closes nothing: it takes
// new connections, too.
func (p *Proxy) Stall() (end func()) {
	p.stalled.Lock()
	return p.stalled.Unlock
}

// Cut closes all connections.
func (p *Proxy) Cut() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for c := range p.open {
		_ = c.Close()
	}
	clear(p.open)
}

// CutAt closes all connections at a round trip from now on, once: before the server gets what
// the client sent, or before the client gets the answer.
func (p *Proxy) CutAt(trip int64, early bool) {
	p.Reset()
	p.early.Store(early)
	p.last.Store(trip)
}

// cut is Cut at the trip that CutAt named.
func (p *Proxy) cut(early bool) {
	if at := p.last.Load(); at > 0 && p.trips.Load() >= at && p.early.Load() == early && p.last.CompareAndSwap(at, 0) {
		p.Cut()
	}
}

func (p *Proxy) serve(client net.Conn) {
	server, err := net.Dial("unix", p.to)
	if err != nil {
		_ = client.Close()
		return
	}
	p.dialled.Add(1)
	p.mu.Lock()
	p.open[client], p.open[server] = true, true
	p.mu.Unlock()
	var answered atomic.Bool // since the client sent something
	answered.Store(true)
	var texts reader
	go func() {
		p.copy(server, client, func(b []byte) {
			if bytes.Equal(b, rollback) {
				return // nobody waits for the answer
			}
			if answered.Swap(false) {
				p.trips.Add(1)
			}
			p.mu.Lock()
			p.statements = append(p.statements, texts.read(b, p.trips.Load())...)
			p.mu.Unlock()
			p.cut(true)
		})
	}()
	p.copy(client, server, func([]byte) {
		answered.Store(true)
		p.cut(false)
	})
}

// rollback is the message that ends a transaction of a reader.
var rollback = append([]byte{'Q', 0, 0, 0, 13}, "ROLLBACK\x00"...)

// wait waits while connections are stalled.
func (p *Proxy) wait() {
	p.stalled.RLock()
	defer p.stalled.RUnlock()
}

func (p *Proxy) copy(to, from net.Conn, seen func([]byte)) {
	defer func() { _, _ = to.Close(), from.Close() }()
	buf := make([]byte, 1<<16)
	for {
		n, err := from.Read(buf)
		if n > 0 {
			p.wait()
			seen(buf[:n])
			if _, e := to.Write(buf[:n]); e != nil {
				return
			}
		}
		if err != nil {
			return
		}
	}
}

// reader finds the statements in what a client sends.
type reader struct {
	started bool
	rest    []byte
	named   map[string]string
}

func (r *reader) read(b []byte, trip int64) (found []string) {
	if r.named == nil {
		r.named = map[string]string{}
	}
	r.rest = append(r.rest, b...)
	add := func(text string) {
		found = append(found, fmt.Sprintf("%d: %s", trip, strings.Join(strings.Fields(text), " ")))
	}
	for {
		head := 1 // a type and a length
		if !r.started {
			head = 0
		}
		if len(r.rest) < head+4 {
			return found
		}
		size := head + int(binary.BigEndian.Uint32(r.rest[head:]))
		if len(r.rest) < size {
			return found
		}
		body := string(r.rest[head+4 : size])
		switch {
		case !r.started:
			r.started = true
		case r.rest[0] == 'Q':
			add(strings.TrimRight(body, "\x00"))
		case r.rest[0] == 'P':
			name, rest, _ := strings.Cut(body, "\x00")
			r.named[name], _, _ = strings.Cut(rest, "\x00")
		case r.rest[0] == 'B':
			_, rest, _ := strings.Cut(body, "\x00")
			name, _, _ := strings.Cut(rest, "\x00")
			add(r.named[name])
		}
		r.rest = r.rest[size:]
	}
}
