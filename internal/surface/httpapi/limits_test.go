package httpapi_test

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/cairn-kb/cairn/internal/surface/httpapi"
)

// wire is a connection on which a test writes what it likes.
type wire struct {
	t *testing.T
	net.Conn
	in *bufio.Reader
}

func (s *served) dial() *wire {
	s.T.Helper()
	c, err := net.Dial("tcp", strings.TrimPrefix(s.url, "http://"))
	if err == nil {
		err = c.SetDeadline(time.Now().Add(time.Minute)) // so that a test that fails ends
	}
	if err != nil {
		s.T.Fatal(err)
	}
	s.T.Cleanup(func() { _ = c.Close() })
	return &wire{s.T, c, bufio.NewReader(c)}
}

func (w *wire) send(text string) {
	w.t.Helper()
	if _, err := io.WriteString(w.Conn, text); err != nil {
		w.t.Error(err)
	}
}

// answer reads one.
func (w *wire) answer() *http.Response {
	w.t.Helper()
	r, err := http.ReadResponse(w.in, nil)
	if err == nil {
		_, err = io.Copy(io.Discard, r.Body)
	}
	if err != nil {
		w.t.Fatal(err)
	}
	return r
}

// mustEnd fails unless the server ends the connection.
func (w *wire) mustEnd(what string) {
	w.t.Helper()
	if _, err := io.Copy(io.Discard, w.in); errors.Is(err, os.ErrDeadlineExceeded) {
		w.t.Errorf("%s: the connection stays open", what)
	}
}

// A request that is refused is answered while its body is still to come, and
// its connection does not wait for that.
func TestRefusedBeforeTheBodyComes(t *testing.T) {
	t.Parallel()
	s := serveBed(t, func(o *httpapi.Options) { o.Limits.Refused = time.Millisecond })
	host, let := "Host: 127.0.0.1\r\n", "Authorization: Bearer "+token+"\r\n"
	ends := map[string]*wire{}
	for _, tc := range []struct {
		line, headers string
		status        int
	}{
		{"POST /api/v1/remember", host, 401},
		{"GET /api/v1/status", host, 401},
		{"POST /mcp", host, 401},
		{"POST /mcp", host + "Authorization: Bearer wrong-token-of-these-tests\r\n", 401},
		{"POST /api/v1/remember", let + "Host: evil.example\r\n", 403},
		{"POST /api/v1/remember", host + let + "Origin: http://evil.example\r\n", 403},
		{"POST /nothing", host, 404},
		{"POST /a/../b", host, 404},
		{"POST /healthz", host, 405},
		{"GET /healthz", host, 200},
		{"PUT /api/v1/recall", host + let, 405},
		{"POST /api/v1/remember", host + let + "Content-Type: text/plain\r\n", 415},
		{"POST /api/v1/remember", host + let + "Content-Type: application/json\r\nCairn-Actor: sync\r\n", 400},
		{"PUT /api/context/a", host + let + "Content-Type: application/xml\r\n", 415},
		{"POST /api/context/a", host + let + "Content-Type: text/markdown\r\n", 405},
	} {
		for _, body := range []string{"Content-Length: 10\r\n\r\n", "Content-Length: 100000000\r\n\r\nx", "Transfer-Encoding: chunked\r\n\r\n"} {
			what := fmt.Sprintf("%s with %q", tc.line, body)
			c := s.dial()
			c.send(tc.line + " HTTP/1.1\r\n" + tc.headers + body)
			if got := c.answer(); got.StatusCode != tc.status || !got.Close {
				t.Errorf("%s is answered %d, and says that it closes: %t", what, got.StatusCode, got.Close)
			}
			ends[what+tc.headers] = c
		}
	}
	for what, c := range ends {
		c.mustEnd(what)
	}
	// A connection on which nothing more is to come stays.
	c := s.dial()
	for _, text := range []string{"One of them.", "Another one."} {
		c.send("GET /api/v1/status HTTP/1.1\r\n" + host + "\r\n")
		if got := c.answer(); got.StatusCode != 401 || got.Close {
			t.Errorf("without a body it is answered %d, closing: %t", got.StatusCode, got.Close)
		}
		c.send("POST /api/v1/remember HTTP/1.1\r\n" + host + let + "Content-Type: application/json\r\nContent-Length: 23\r\n\r\n" + `{"text":"` + text + `"}`)
		if got := c.answer(); got.StatusCode != 200 || got.Close {
			t.Errorf("with one that was read it is answered %d, closing: %t", got.StatusCode, got.Close)
		}
	}
}

func TestSilentConnectionsEnd(t *testing.T) {
	t.Parallel()
	s := serveBed(t, func(o *httpapi.Options) { o.Limits.Header = time.Millisecond })
	for what, text := range map[string]string{
		"nothing": "", "half a line": "GET /hea", "half the headers": "GET /healthz HTTP/1.1\r\nHost: 127",
	} {
		c := s.dial()
		_, _ = io.WriteString(c.Conn, text) // it may be over already
		c.mustEnd(what)
	}
	s = serveBed(t, func(o *httpapi.Options) { o.Limits.Idle = time.Millisecond })
	c := s.dial()
	c.send("GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
	if got := c.answer(); got.StatusCode != 200 {
		t.Errorf("health is %d", got.StatusCode)
	}
	c.mustEnd("a request, and then nothing")
}

// What docs/guarantees.md promises.
func TestDefaultLimits(t *testing.T) {
	t.Parallel()
	l := httpapi.DefaultLimits()
	if l.Header > 5*time.Second || l.Refused > 5*time.Second || l.Idle > time.Minute || l.Body > time.Minute || 2*l.Stop > 2*time.Second {
		t.Errorf("the limits are %+v", l)
	}
	if l.Connections < 1 || l.Connections > 512 || l.PerSecond < 1 || l.PerSecond > 500 {
		t.Errorf("the limits are %+v", l)
	}
}

// Clients that ask for nothing hold up no stop: the time for requests under way
// is not spent on them.
func TestStopWaitsForWorkOnly(t *testing.T) {
	t.Parallel()
	work := newSlow()
	s := serveBed(t, func(o *httpapi.Options) {
		o.MCP = work
		o.Limits.Refused, o.Limits.Stop = time.Hour, time.Millisecond
		o.After = func(d time.Duration) <-chan time.Time {
			c := make(chan time.Time, 1)
			if d == time.Millisecond {
				c <- time.Time{}
			}
			return c // the time for requests is never over
		}
	})
	host, let := "Host: 127.0.0.1\r\n", "Authorization: Bearer "+token+"\r\n"
	s.dial()
	s.dial().send("GET /healthz HTTP/1.1\r\nHost")
	idle := s.dial()
	idle.send("GET /healthz HTTP/1.1\r\n" + host + "\r\n")
	idle.answer()
	refused := s.dial()
	refused.send("POST /mcp HTTP/1.1\r\n" + host + "Content-Length: 10\r\n\r\n")
	refused.answer()
	s.dial().send("POST /api/v1/remember HTTP/1.1\r\n" + host + let + "Content-Length: 10\r\n\r\n")
	listens := s.dial()
	listens.send("POST /mcp HTTP/1.1\r\n" + host + let + "Mcp-Method: subscriptions/listen\r\nContent-Length: 2\r\n\r\n{}")
	<-work.began
	answer := s.send("POST", "/mcp")
	<-work.began
	s.stop()
	if got := listens.answer(); got.StatusCode != 503 {
		t.Errorf("what a client only listens to ends with %d", got.StatusCode)
	}
	select {
	case err := <-s.ended:
		t.Fatalf("it ended with work under way: %v", err)
	default:
	}
	close(work.release)
	if got := <-answer; got != "200 OK done" {
		t.Errorf("the work is answered with %q", got)
	}
	if err := <-s.ended; err != nil {
		t.Error(err)
	}
	w := httptest.NewRecorder()
	s.server.ServeHTTP(w, request("POST", "/api/v1/remember", `{"text":"late"}`))
	if w.Code != http.StatusServiceUnavailable {
		t.Errorf("new work is answered %d", w.Code)
	}
}

// New connections find room where others say nothing.
func TestSilentConnectionsKeepNobodyOut(t *testing.T) {
	t.Parallel()
	s := serveBed(t, func(o *httpapi.Options) {
		o.Limits.Connections, o.Limits.PerSecond = 4, 1000
		o.Limits.Header = time.Hour
	})
	var silent []*wire
	for range 20 {
		silent = append(silent, s.dial())
	}
	c := s.dial()
	c.send("GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
	if got := c.answer(); got.StatusCode != 200 {
		t.Errorf("health is %d", got.StatusCode)
	}
	for i, old := range silent[:17] {
		old.mustEnd(fmt.Sprintf("silent connection %d", i))
	}
}
