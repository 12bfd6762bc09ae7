package httpapi_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/cairn-kb/cairn/internal/surface/httpapi"
)

// web is a web UI under a name of its own.
type web struct{}

func (web) Serves(r *http.Request) bool                  { return strings.HasPrefix(r.Host, "web.localhost") }
func (web) Prove(w http.ResponseWriter, _ *http.Request) { w.Header().Set("Web", "proof") }
func (web) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path == "/panic" {
		panic("here")
	}
	w.Header().Set("Web", r.URL.Path)
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
