package httpapi_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/cairn-kb/cairn/internal/surface/httpapi"
	"github.com/cairn-kb/cairn/internal/surface/operation/operationtest"
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

func (c *changing) get() []httpapi.Token {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.err != nil {
		return nil
	}
	return []httpapi.Token{{Text: c.token}}
}

// Another token holds from the next request on, and where none can be read
// nobody is let in.
func TestTokenThatChanges(t *testing.T) {
	t.Parallel()
	c := &changing{token: token}
	b := newServer(t, func(o *httpapi.Options) { o.Tokens = c.get })
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
	t.Parallel()
	for _, tc := range []struct{ method, path, listen string }{
		{"GET", "/api/v1/events", ""}, {"GET", "/mcp", ""}, {"POST", "/mcp", "subscriptions/listen"},
	} {
		t.Run(tc.method+tc.path, func(t *testing.T) {
			c := &changing{token: token}
			b := newServer(t, func(o *httpapi.Options) { o.Tokens, o.MCP = c.get, streaming{} })
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

// Whoever has the token of an agent is that agent, whatever they say.
func TestAgentTokenIsThatAgent(t *testing.T) {
	t.Parallel()
	b := newServer(t)
	agent := func(headers ...string) []string {
		return append([]string{"Authorization", "Bearer " + agentToken}, headers...)
	}
	b.must("PUT", "/api/v1/pages/a", `{"text":"one"}`)
	last := func() any {
		return operationtest.At(t, b.must("GET", "/api/v1/history/a?limit=1", ""), "items", 0, "actor")
	}
	for i, tc := range []struct {
		headers []string
		status  int
		want    string
	}{
		{agent(), 200, "agent:robot"},
		{agent("Cairn-Actor", "robot"), 200, "agent:robot"},
		{agent("Cairn-Actor", "agent:robot"), 200, "agent:robot"},
		{agent("Cairn-Actor", "human:eve"), 403, ""},
		{agent("Cairn-Actor", "human"), 403, ""},
		{agent("Cairn-Actor", "other"), 403, ""},
		{agent("Cairn-Actor", "schedule"), 400, ""},
		{agent("Cairn-Agent", "other"), 200, "agent:robot"},
		{[]string{"Cairn-Agent", "other"}, 200, "agent:http"},
		{[]string{"Cairn-Actor", "human:ada"}, 200, "human:ada"},
		{[]string{"Cairn-Actor", "schedule"}, 400, ""},
		{[]string{"Cairn-Actor", "sync"}, 400, ""},
		{[]string{"Cairn-Actor", "agent:schedule"}, 400, ""},
	} {
		before := last()
		status, answer := b.do(request("POST", "/api/v1/tags/a", fmt.Sprintf(`{"add":["t%d"]}`, i), tc.headers...))
		if status != tc.status {
			t.Errorf("%v is answered %d %v, want %d", tc.headers, status, answer, tc.status)
		}
		if want := cmp.Or(tc.want, before.(string)); last() != want {
			t.Errorf("with %v the last change is by %v, want %s", tc.headers, last(), want)
		}
	}

	// The MCP server is told, also of nobody.
	var told []string
	b = newServer(t, func(o *httpapi.Options) { o.MCP = asked{&told} })
	for _, headers := range [][]string{agent("Cairn-Agent", "other"), {"Cairn-Agent", "other"}} {
		w := httptest.NewRecorder()
		b.server.ServeHTTP(w, request("POST", "/mcp", "{}", headers...))
	}
	if !slices.Equal(told, []string{"robot", ""}) {
		t.Errorf("it is told %q", told)
	}
}

// asked notes which agents it is told of.
type asked struct{ agents *[]string }

func (a asked) ServeHTTP(_ http.ResponseWriter, r *http.Request) {
	*a.agents = append(*a.agents, r.Header.Get("Cairn-Agent"))
}
func (asked) Close() {}

// Where one text is the token of two, the narrower one counts.
func TestTokenThatIsThereTwice(t *testing.T) {
	t.Parallel()
	for _, tokens := range [][]httpapi.Token{
		{{Text: token}, {Text: token, Agent: "robot"}}, {{Text: token, Agent: "robot"}, {Text: token}},
	} {
		b := newServer(t, func(o *httpapi.Options) { o.Tokens = func() []httpapi.Token { return tokens } })
		if status, _ := b.do(request("PUT", "/api/v1/pages/a", `{"text":"x"}`, "Cairn-Actor", "human:eve")); status != 403 {
			t.Errorf("with %v it is answered %d", tokens, status)
		}
	}
}
