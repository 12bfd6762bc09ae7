package httpapi_test

import (
	"context"
	"io"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/surface/httpapi"
)

// slow is work that is under way until it is released or cancelled.
type slow struct {
	began, release chan struct{}
}

func newSlow() *slow { return &slow{make(chan struct{}, 1), make(chan struct{})} }

func (s *slow) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.began <- struct{}{}
	select {
	case <-s.release:
		_, _ = io.WriteString(w, "done")
	case <-r.Context().Done():
		w.WriteHeader(http.StatusServiceUnavailable)
	}
}

func (s *slow) Close() {}

// served is a server at a socket.
type served struct {
	*testServer
	url   string
	stop  context.CancelFunc // tells it to stop
	ended chan error
}

func serveBed(t *testing.T, change ...func(*httpapi.Options)) *served {
	t.Helper()
	s := &served{testServer: newServer(t, change...), ended: make(chan error, 1)}
	l, err := httpapi.Listen(t.Context(), "127.0.0.1:0", false)
	if err != nil {
		t.Fatal(err)
	}
	s.url = "http://" + l.Addr().String()
	ctx, stop := context.WithCancel(t.Context())
	s.stop = stop
	go func() { s.ended <- s.server.Serve(ctx, l, 10*time.Second) }()
	t.Cleanup(stop)
	return s
}

// send asks the server, and hands over what is answered.
func (s *served) send(method, path string) <-chan string {
	out := make(chan string, 1)
	go func() {
		r, err := http.NewRequestWithContext(s.T.Context(), method, s.url+path, nil)
		if err != nil {
			out <- err.Error()
			return
		}
		r.Header.Set("Authorization", "Bearer "+token)
		answer, err := http.DefaultClient.Do(r)
		if err != nil {
			out <- err.Error()
			return
		}
		text, err := io.ReadAll(answer.Body)
		if err != nil {
			out <- err.Error()
			return
		}
		out <- answer.Status + " " + string(text)
		_ = answer.Body.Close()
	}()
	return out
}

// What is under way when the server is told to stop is answered, and nothing
// new is taken.
func TestStopFinishesRequests(t *testing.T) {
	t.Parallel()
	work := newSlow()
	s := serveBed(t, func(o *httpapi.Options) { o.MCP = work })
	s.must("PUT", "/api/v1/pages/a", `{"text":"x"}`)
	stream := s.listen(s.url, "")
	answer := s.send("POST", "/mcp")
	<-work.began
	session := s.send("GET", "/mcp")
	<-work.began
	s.stop()
	if got := <-session; !strings.HasPrefix(got, "503") {
		t.Errorf("what a client only listens to ends with %q", got)
	}
	if got := stream.next(); got != "" || stream.in.Scan() {
		t.Errorf("the stream goes on with %q", got)
	}
	select {
	case err := <-s.ended:
		t.Fatalf("it ended with work under way: %v", err)
	case got := <-answer:
		t.Fatalf("the work ended with %q", got)
	default:
	}
	close(work.release)
	if got := <-answer; got != "200 OK done" {
		t.Errorf("the work is answered with %q", got)
	}
	if err := <-s.ended; err != nil {
		t.Error(err)
	}
	if c, err := net.Dial("tcp", strings.TrimPrefix(s.url, "http://")); err == nil {
		_ = c.Close()
		t.Error("it still listens")
	}
}

// What takes longer than the limit is cancelled.
func TestStopHasALimit(t *testing.T) {
	t.Parallel()
	work := newSlow()
	over := make(chan time.Time)
	s := serveBed(t, func(o *httpapi.Options) {
		o.MCP = work
		o.After = func(d time.Duration) <-chan time.Time {
			if d == httpapi.DefaultLimits().Stop { // after the end of all work
				return make(chan time.Time)
			}
			if d != 10*time.Second {
				t.Errorf("it waits for %v", d)
			}
			return over
		}
	})
	answer := s.send("POST", "/mcp")
	<-work.began
	s.stop()
	over <- time.Time{}
	if err := <-s.ended; err != nil {
		t.Error(err)
	}
	if got := <-answer; strings.HasPrefix(got, "200") {
		t.Errorf("the work is answered with %q", got)
	}
}

// A server whose socket fails ends no sooner than what is under way in it, for
// the memory is closed next.
func TestServeOutlivesItsRequests(t *testing.T) {
	t.Parallel()
	work := &ending{slow: newSlow()}
	b := newServer(t, func(o *httpapi.Options) { o.MCP = work })
	l, err := httpapi.Listen(t.Context(), "127.0.0.1:0", false)
	if err != nil {
		t.Fatal(err)
	}
	s := &served{testServer: b, url: "http://" + l.Addr().String(), ended: make(chan error, 1)}
	go func() { s.ended <- s.server.Serve(t.Context(), l, 10*time.Second) }()
	answer := s.send("POST", "/mcp")
	<-work.began
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	if err := <-s.ended; kb.CodeOf(err) != kb.Internal {
		t.Errorf("got %v", err)
	}
	if !work.over.Load() || !work.closed.Load() {
		t.Error("a request or a session is still under way")
	}
	<-answer
}

// ending notes when its work and its sessions have ended.
type ending struct {
	*slow
	over, closed atomic.Bool
}

func (e *ending) Close() { e.closed.Store(true) }

func (e *ending) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	e.slow.ServeHTTP(w, r)
	e.over.Store(true)
}

func TestListen(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		address string
		remote  bool
		code    kb.Code
	}{
		{"127.0.0.1:0", false, ""},
		{"localhost:0", false, ""},
		{"127.0.0.1:0", true, ""},
		{"8080", false, kb.Usage},
		{":0", false, kb.Refused},
		{"0.0.0.0:0", false, kb.Refused},
		{"[::]:0", false, kb.Refused},
		{"192.0.2.1:0", false, kb.Refused},
		{"notes.example:0", false, kb.Refused},
		{"localhost.example:0", false, kb.Refused},
		{"0.0.0.0:0", true, ""},
		{"127.0.0.1:99999", false, kb.Usage},
	} {
		l, err := httpapi.Listen(t.Context(), tc.address, tc.remote)
		if kb.CodeOf(err) != tc.code {
			t.Errorf("Listen(%q, %t): %v, want %q", tc.address, tc.remote, err, tc.code)
		}
		if err == nil {
			if err := l.Close(); err != nil {
				t.Error(err)
			}
		}
	}
	l, err := httpapi.Listen(t.Context(), "127.0.0.1:0", false)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := httpapi.Listen(t.Context(), l.Addr().String(), false); kb.CodeOf(err) != kb.Conflict {
		t.Errorf("a taken address: %v", err)
	}
	if err := l.Close(); err != nil {
		t.Error(err)
	}
}
