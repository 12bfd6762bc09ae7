package httpapi

import (
	"errors"
	"io"
	"net"
	"net/http"
	"testing"
	"time"
)

// offers is a listener to which a test hands connections.
type offers struct {
	net.Listener
	conns chan net.Conn
}

func (o offers) Accept() (net.Conn, error) {
	c, ok := <-o.conns
	if !ok {
		return nil, net.ErrClosed
	}
	return c, nil
}

func (o offers) Close() error { return nil }

// offer hands over a connection, and returns its other end.
func (o offers) offer(t *testing.T) net.Conn {
	server, client := net.Pipe()
	t.Cleanup(func() { _, _ = server.Close(), client.Close() })
	o.conns <- server
	return client
}

// over reports whether the server closed a connection.
func over(t *testing.T, c net.Conn) bool {
	t.Helper()
	err := c.SetReadDeadline(time.Unix(1, 0))
	if err == nil {
		_, err = c.Read(make([]byte, 1))
	}
	return errors.Is(err, io.EOF) || errors.Is(err, io.ErrClosedPipe)
}

func TestGateMakesRoom(t *testing.T) {
	t.Parallel()
	l := offers{conns: make(chan net.Conn, 10)}
	g := (&Server{limits: Limits{Connections: 3, PerSecond: 100}, opts: Options{Now: time.Now, After: time.After}}).gate(l)
	accept := func() (client, server net.Conn) {
		t.Helper()
		client = l.offer(t)
		server, err := g.Accept()
		if err != nil {
			t.Fatal(err)
		}
		return client, server
	}
	c1, s1 := accept()
	c2, s2 := accept()
	c3, _ := accept()
	g.state(s1, http.StateActive)
	c4, s4 := accept()
	if over(t, c1) || !over(t, c2) || over(t, c3) || over(t, c4) {
		t.Error("not the one that waited longest gave way")
	}
	g.state(s2, http.StateClosed) // as the server finds out
	g.state(s1, http.StateIdle)   // it waits only since now
	g.state(s4, http.StateActive)
	c5, s5 := accept()
	if over(t, c1) || !over(t, c3) || over(t, c5) {
		t.Error("not the one that waited longest gave way")
	}

	// Where all are at work the new one is closed, and the next one is let in
	// when one of them has ended.
	g.state(s1, http.StateActive)
	g.state(s5, http.StateActive)
	refused := l.offer(t)
	accepted := make(chan net.Conn, 1)
	go func() {
		c, _ := g.Accept()
		accepted <- c
	}()
	if _, err := refused.Read(make([]byte, 1)); !errors.Is(err, io.EOF) {
		t.Errorf("one too many ends with %v", err)
	}
	if err := s4.Close(); err != nil {
		t.Fatal(err)
	}
	c6 := l.offer(t)
	if <-accepted == nil || over(t, c6) {
		t.Error("there is no room after one has ended")
	}
	g.clear()
	if !over(t, c6) || over(t, c1) || over(t, c5) {
		t.Error("at the end one without a request stays, or one with a request goes")
	}
}

func TestGateCountsPerSecond(t *testing.T) {
	t.Parallel()
	l := offers{conns: make(chan net.Conn, 10)}
	now := time.Unix(1000, 0)
	waits, tick := make(chan time.Duration), make(chan time.Time)
	g := (&Server{limits: Limits{Connections: 100, PerSecond: 2}, opts: Options{
		Now: func() time.Time { return now },
		After: func(d time.Duration) <-chan time.Time {
			waits <- d
			return tick
		},
	}}).gate(l)
	accepted := make(chan error)
	accept := func() {
		l.offer(t)
		go func() {
			_, err := g.Accept()
			accepted <- err
		}()
	}
	must := func() {
		t.Helper()
		select {
		case err := <-accepted:
			if err != nil {
				t.Fatal(err)
			}
		case d := <-waits:
			t.Fatalf("it waits for %v", d)
		}
	}
	accept()
	must()
	now = now.Add(300 * time.Millisecond)
	accept()
	must()
	accept() // one too many
	if d := <-waits; d != 700*time.Millisecond {
		t.Errorf("it waits for %v", d)
	}
	now = now.Add(700 * time.Millisecond)
	tick <- now
	must()
	accept()
	must()
	now = now.Add(-time.Hour) // a clock that is set back holds nobody up
	accept()
	must()
	accept()
	must()
	accept()
	<-waits
	if err := g.Close(); err != nil { // nor does the limit a stop
		t.Fatal(err)
	}
	if err := <-accepted; !errors.Is(err, net.ErrClosed) {
		t.Errorf("it ends with %v", err)
	}
}
