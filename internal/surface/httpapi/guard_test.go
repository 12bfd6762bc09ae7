package httpapi_test

import (
	"io"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/cairn-kb/cairn/internal/surface/httpapi"
)

func TestGuard(t *testing.T) {
	t.Parallel()
	b := newServer(t, func(o *httpapi.Options) { o.Hosts = []string{"notes.example"} })
	for _, tc := range []struct {
		name, host string
		header     []string
		want       int
	}{
		{"as a program", "127.0.0.1:22476", nil, 200},
		{"by name", "localhost:22476", nil, 200},
		{"by name, in capitals", "LOCALHOST", nil, 200},
		{"by an address of six", "[::1]:22476", nil, 200},
		{"by an allowed name", "notes.example:8443", nil, 200},
		{"by an allowed name in capitals", "Notes.Example", nil, 200},
		{"a name made to lead here", "evil.example:22476", nil, 403},
		{"a name that begins well", "localhost.evil.example", nil, 403},
		{"a name that looks like an address", "127.0.0.1.evil.example", nil, 403},
		{"a name within an allowed one", "evil.notes.example", nil, 403},
		{"no name", "", nil, 403},
		{"a page of this server", "localhost:22476", []string{"Origin", "http://localhost:22476", "Sec-Fetch-Site", "same-origin"}, 200},
		{"a page behind a proxy with TLS", "notes.example", []string{"Origin", "https://notes.example"}, 200},
		{"a page of another server", "localhost:22476", []string{"Origin", "http://evil.example"}, 403},
		{"a page of another port", "localhost:22476", []string{"Origin", "http://localhost:3000"}, 403},
		{"a page without an origin", "localhost:22476", []string{"Origin", "null"}, 403},
		{"a link or image elsewhere", "localhost:22476", []string{"Sec-Fetch-Site", "cross-site"}, 403},
		{"typed by a person", "localhost:22476", []string{"Sec-Fetch-Site", "none"}, 200},
		{"no token", "localhost:22476", []string{"Authorization", ""}, 401},
		{"a wrong token", "localhost:22476", []string{"Authorization", "Bearer the-token-of-these-tesst"}, 401},
		{"half a token", "localhost:22476", []string{"Authorization", "Bearer the-token-of"}, 401},
		{"another scheme", "localhost:22476", []string{"Authorization", "Basic " + token}, 401},
		{"a scheme in small letters", "localhost:22476", []string{"Authorization", "bearer " + token}, 200},
	} {
		for _, path := range []string{"/api/v1/status", "/api/v1/openapi.json"} {
			r := request("GET", path, "", tc.header...)
			r.Host = tc.host
			if status, answer := b.do(r); status != tc.want {
				t.Errorf("%s: %s answers %d %v, want %d", tc.name, path, status, answer, tc.want)
			}
		}
	}
	for _, path := range []string{"/mcp", "/api/v1/events", "/api/v1/remember"} {
		if status, _ := b.do(request("POST", path, "{}", "Authorization", "")); status != 401 {
			t.Errorf("%s without a token answers %d", path, status)
		}
		if status, _ := b.do(request("POST", path, "{}", "Origin", "http://evil.example")); status != 403 {
			t.Errorf("%s from another origin answers %d", path, status)
		}
	}
	w := httptest.NewRecorder()
	b.server.ServeHTTP(w, request("OPTIONS", "/api/v1/remember", "", "Access-Control-Request-Method", "POST"))
	for name := range w.Header() {
		if w.Code != 405 || strings.HasPrefix(name, "Access-Control") {
			t.Errorf("a browser that asks first is answered %d with %s", w.Code, name)
		}
	}
}

// A path that is written in a roundabout way is one at which nothing is.
func TestPathsThatAreNotClean(t *testing.T) {
	t.Parallel()
	b := newServer(t)
	b.must("PUT", "/api/v1/pages/a/b", `{"text":"x"}`)
	for _, path := range []string{"//x", "/..", "/../x", "/./healthz", "/api//v1/status", "/api/v1/pages/a//b", "/api/v1/pages/a/../a/b", "/api/v1/pages/a%2F..%2Fa/b", "/api/v1/pages/%2E%2E/b"} {
		for _, method := range []string{"GET", "PUT", "CONNECT"} {
			r := request(method, "/", "", "Authorization", "")
			r.URL.Path, _ = url.PathUnescape(path)
			r.URL.RawPath = path
			if status, answer := b.do(r); status != 404 {
				t.Errorf("%s %s answers %d %v", method, path, status, answer)
			}
		}
	}
	b.must("GET", "/api/v1/pages/a%2Fb", "")
}

// A ref may hold slashes side by side, which are escaped in a path.
func TestRefsThatAreURIs(t *testing.T) {
	t.Parallel()
	b := newServer(t)
	b.must("PUT", "/api/v1/pages/a/b", `{"text":"x"}`)
	for _, path := range []string{"/api/v1/notes/memory:%2F%2Fa/b", "/api/v1/build-context/memory%3A%2F%2Fa%2Fb", "/api/v1/pages/memory:%2F%2Fa/b"} {
		b.must("GET", path, "")
	}
}

// endless is a body without an end.
type endless struct{}

func (endless) Read(p []byte) (int, error) { return len(p), nil }

func TestLargeBody(t *testing.T) {
	t.Parallel()
	b := newServer(t)
	r := request("POST", "/api/v1/remember", "")
	r.Body = io.NopCloser(endless{})
	if status, answer := b.do(r); status != 413 {
		t.Errorf("it answers %d %v", status, answer)
	}
}
