package httpapi_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/cairn-kb/cairn/internal/httpapi"
)

// changing is a token that changes while a server runs.
type changing struct {
	mu    sync.Mutex
	token string
	err   error
}

func (c *changing) set(token string, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.token, c.err = token, err
}

func (c *changing) get() (string, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.token, c.err
}

// Another token holds from the next request on, and where none can be read
// nobody is let in.
func TestTokenThatChanges(t *testing.T) {
	c := &changing{token: token}
	b := newBed(t, func(o *httpapi.Options) { o.Token = c.get })
	check := func(when, bearer string, want int) {
		t.Helper()
		if status, _ := b.do(request("GET", "/api/v1/spaces", "", "Authorization", "Bearer "+bearer)); status != want {
			t.Errorf("%s: %q gets %d, want %d", when, bearer, status, want)
		}
	}
	check("before", token, 200)
	c.set("another-token-of-these", nil)
	check("after", token, 401)
	check("after", "another-token-of-these", 200)
	c.set("", errors.New("gone"))
	check("without one", token, 401)
	check("without one", "", 401)
	if status, _ := b.do(request("GET", "/healthz", "")); status != 200 {
		t.Errorf("health gets %d", status)
	}
}

// streaming is an MCP server with a stream that has no end of its own.
type streaming struct{}

func (streaming) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.WriteHeader(http.StatusOK)
	_ = http.NewResponseController(w).Flush()
	<-r.Context().Done()
}
func (streaming) Close() {}

// A stream ends when the token with which it began holds no more.
func TestTokenThatChangesEndsStreams(t *testing.T) {
	for _, tc := range []struct{ method, path, listen string }{
		{"GET", "/api/v1/events", ""}, {"GET", "/mcp", ""}, {"POST", "/mcp", "subscriptions/listen"},
	} {
		t.Run(tc.method+tc.path, func(t *testing.T) {
			c := &changing{token: token}
			b := newBed(t, func(o *httpapi.Options) { o.Token, o.MCP = c.get, streaming{} })
			b.must("PUT", "/api/v1/pages/first", `{"text":"x"}`)
			web := httptest.NewServer(b.server)
			t.Cleanup(web.Close)
			ctx, stop := context.WithTimeout(t.Context(), time.Minute)
			t.Cleanup(stop)
			r, err := http.NewRequestWithContext(ctx, tc.method, web.URL+tc.path, nil)
			if err != nil {
				t.Fatal(err)
			}
			r.Header.Set("Authorization", "Bearer "+token)
			r.Header.Set("Mcp-Method", tc.listen)
			answer, err := http.DefaultClient.Do(r)
			if err != nil {
				t.Fatal(err)
			}
			b.ticks <- time.Time{} // looked at, and it goes on
			b.ticks <- time.Time{}
			c.set("another-token-of-these", nil)
			ended := make(chan error, 1)
			go func() {
				_, err := io.Copy(io.Discard, answer.Body)
				ended <- err
			}()
			select {
			case b.ticks <- time.Time{}:
				err = <-ended
			case err = <-ended: // the look before came as late as this
			}
			if err != nil || answer.StatusCode != 200 {
				t.Errorf("the stream is %d, and ends with %v", answer.StatusCode, err)
			}
			if err := answer.Body.Close(); err != nil {
				t.Error(err)
			}
		})
	}
}
