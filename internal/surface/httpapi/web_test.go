package httpapi_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/cairn-kb/cairn/internal/surface/httpapi"
)

// web is a web UI under a name of its own.
type web struct {
	waits chan struct{} // receives when a request for /wait has its turn
}

func (web) Serves(r *http.Request) bool                    { return strings.HasPrefix(r.Host, "web.localhost") }
func (web) Prove(w http.ResponseWriter, _ *http.Request)   { w.Header().Set("Web", "proof") }
func (web) Nothing(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNotFound) }
func (web) Refuse(w http.ResponseWriter, _ *http.Request, status int, err error) {
	w.Header().Set("Content-Type", "text/html")
	w.WriteHeader(status)
	_, _ = fmt.Fprint(w, err)
}
func (web) SignedIn(r *http.Request) bool { return r.Header.Get("In") != "" }
func (u web) Handler(within func(int64, http.Handler) http.Handler, events http.Handler) http.Handler {
	in := within(1<<20, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/wait" {
			u.waits <- struct{}{}
			<-r.Context().Done()
		}
		text, err := io.ReadAll(r.Body)
		if err != nil {
			w.WriteHeader(http.StatusBadRequest)
		}
		_, _ = fmt.Fprint(w, len(text))
	}))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Web", r.URL.Path)
		switch {
		case !u.SignedIn(r):
			w.WriteHeader(http.StatusUnauthorized)
		case r.URL.Path == "/events":
			events.ServeHTTP(w, r)
		default:
			in.ServeHTTP(w, r)
		}
	})
}

// Requests that the web UI refuses are answered before their body comes, and hold nothing that others
// need. Forms are small.
func TestFormsOfTheWebUI(t *testing.T) {
	t.Parallel()
	s := serveBed(t, func(o *httpapi.Options) { o.Web, o.Limits = web{}, httpapi.Limits{AtWork: 1, Bytes: 1} })
	const host, in = " HTTP/1.1\r\nHost: web.localhost\r\n", "In: 1\r\n"
	for _, tc := range []struct {
		name, text string
		want       int
	}{
		{"slow, of a stranger", "POST /form" + host + "Content-Length: 5\r\n\r\n", 401},
		{"large, of a stranger", "POST /form" + host + "Content-Length: 90000000\r\n\r\nx", 401},
		{"chunked, of a stranger", "POST /form" + host + "Transfer-Encoding: chunked\r\n\r\n", 401},
		{"large", "POST /form" + host + in + "Content-Length: 1048577\r\n\r\nx", 413},
		{"large and chunked", "POST /form" + host + in + "Transfer-Encoding: chunked\r\n\r\n100001\r\n" + strings.Repeat("x", 0x100001) + "\r\n0\r\n\r\n", 413},
		{"a form", "POST /form" + host + in + "Content-Length: 5\r\n\r\na=b&c", 200},
		{"roundabout", "GET /a/../b" + host + in + "\r\n", 404},
		{"roundabout in the API", "GET /a//b HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n", 404},
	} {
		c := s.dial()
		c.send(tc.text)
		got := c.answer()
		if got.StatusCode != tc.want {
			t.Errorf("%s: %d, want %d", tc.name, got.StatusCode, tc.want)
		}
		if kind := got.Header.Get("Content-Type"); tc.want == 413 && kind != "text/html" {
			t.Errorf("%s: the web UI does not answer itself, but %s", tc.name, kind)
		}
	}
}

// A stream is told by its path, and not by what a request says: it takes no turn, and
// everything else does.
func TestStreamsOfTheWebUI(t *testing.T) {
	t.Parallel()
	turn := make(chan struct{}, 1)
	s := serveBed(t, func(o *httpapi.Options) { o.Web, o.Limits = web{turn}, httpapi.Limits{AtWork: 1} })
	s.must("PUT", "/api/v1/pages/a", `{"text":"x"}`)
	const in = " HTTP/1.1\r\nHost: web.localhost\r\nIn: 1\r\n"
	for range 3 {
		c := s.dial()
		c.send("GET /events" + in + "Accept: */*\r\n\r\n")
		r, err := http.ReadResponse(c.in, nil)
		if err != nil {
			t.Fatal(err)
		}
		if kind := r.Header.Get("Content-Type"); kind != "text/event-stream" {
			t.Fatalf("the stream is %d %s", r.StatusCode, kind)
		}
	}
	c := s.dial()
	c.send("GET /" + in + "\r\n")
	if got := c.answer(); got.StatusCode != 200 {
		t.Errorf("beside streams a page is %d", got.StatusCode)
	}
	waits, second := s.dial(), s.dial()
	waits.send("GET /wait" + in + "Accept: text/event-stream\r\n\r\n")
	<-turn
	second.send("GET /" + in + "Accept: text/event-stream\r\n\r\n")
	if err := second.SetDeadline(time.Now().Add(300 * time.Millisecond)); err != nil {
		t.Fatal(err)
	}
	if r, err := http.ReadResponse(second.in, nil); err == nil {
		t.Errorf("a page that asks for a stream takes no turn: %d", r.StatusCode)
	}
	_ = waits.Close()
}

// Under the name of the web UI there is neither API nor MCP, with whatever a request
// shows; and under the server's other names a cookie lets nobody in.
func TestCookieIsNoToken(t *testing.T) {
	t.Parallel()
	b := newServer(t, func(o *httpapi.Options) { o.Web = web{} })
	for _, path := range []string{"/", "/mcp", "/api/v1/status", "/api/context", "/healthz"} {
		r := request("GET", path, "", "Cookie", "cairn_session="+token)
		r.Host = "web.localhost:22476"
		w := httptest.NewRecorder()
		r.Header.Set("In", "1")
		b.server.ServeHTTP(w, r)
		if w.Header().Get("Web") != path {
			t.Errorf("%s of the web UI's host is answered by another", path)
		}
		if path == "/healthz" {
			continue
		}
		for _, host := range []string{"127.0.0.1:22476", "localhost:22476"} {
			r := httptest.NewRequest("GET", path, nil)
			r.Host = host
			r.Header.Set("Cookie", "cairn_session="+token)
			w := httptest.NewRecorder()
			b.server.ServeHTTP(w, r)
			if want := map[bool]int{true: http.StatusNotFound, false: http.StatusUnauthorized}[path == "/"]; w.Code != want || w.Header().Get("Web") != "" {
				t.Errorf("%s%s with a cookie: %d, want %d", host, path, w.Code, want)
			}
		}
	}
}
