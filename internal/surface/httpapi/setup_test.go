package httpapi_test

import (
	"encoding/json"
	"flag"
	"github.com/cairn-kb/cairn/internal/memory"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/surface/httpapi"
	"github.com/cairn-kb/cairn/internal/test/apptest"
)

var update = flag.Bool("update", false, "write the golden files anew")

const (
	token      = "the-token-of-these-tests"
	agentToken = "the-token-of-an-agent-of-these-tests"
)

// testServer is a server over a memory without spaces.
type testServer struct {
	later atomic.Int64 // how much the clock of the memory is ahead
	*apptest.Bed
	memory *memory.Lazy
	server *httpapi.Server
	ticks  chan time.Time // what After returns
	faults []string
	synced api.Activity
}

// noMCP stands for the MCP server.
type noMCP struct{}

func (noMCP) ServeHTTP(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusTeapot) }
func (noMCP) Close()                                           {}

func newServer(t *testing.T, change ...func(*httpapi.Options)) *testServer {
	t.Helper()
	b := &testServer{Bed: apptest.New(t), ticks: make(chan time.Time)}
	b.Opts.Now = func() time.Time { return time.Now().Add(time.Duration(b.later.Load())) }
	b.memory = b.Lazy()
	opts := httpapi.Options{
		Memory: b.memory, MCP: noMCP{}, Tokens: func() []httpapi.Token { return []httpapi.Token{{Text: token}, {Text: agentToken, Agent: "robot"}} }, Version: "v0.0.0-test",
		Faults: func() []string { return b.faults }, Synced: func() api.Activity { return b.synced },
		Report: func(err error) { t.Errorf("the server reports %v", err) },
		Now:    time.Now, After: func(time.Duration) <-chan time.Time { return b.ticks },
	}
	for _, c := range change {
		c(&opts)
	}
	b.server = httpapi.New(opts)
	return b
}

// request is one with the token, and JSON in the body if there is one.
func request(method, path, body string, headers ...string) *http.Request {
	r := httptest.NewRequest(method, path, strings.NewReader(body))
	r.Host = "127.0.0.1:22476"
	r.Header.Set("Authorization", "Bearer "+token)
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	return r
}

// do answers a request, and reads the answer, which is JSON.
func (b *testServer) do(r *http.Request) (status int, answer map[string]any) {
	b.T.Helper()
	w := httptest.NewRecorder()
	b.server.ServeHTTP(w, r)
	text, err := io.ReadAll(w.Result().Body)
	if err == nil {
		err = json.Unmarshal(text, &answer)
	}
	if err != nil {
		b.T.Fatalf("%s %s answers %q: %v", r.Method, r.URL, text, err)
	}
	kind := w.Result().Header.Get("Content-Type")
	if want := map[bool]string{true: "application/json", false: "application/problem+json"}[w.Code == http.StatusOK]; kind != want {
		b.T.Errorf("%s %s answers %d as %s, want %s", r.Method, r.URL, w.Code, kind, want)
	}
	if w.Code != http.StatusOK && (answer["status"] != float64(w.Code) || answer["title"] != http.StatusText(w.Code) || answer["detail"] == "" || answer["code"] == "") {
		b.T.Errorf("%s %s answers %d with %v, which is no whole problem", r.Method, r.URL, w.Code, answer)
	}
	return w.Code, answer
}

// must is do for what must work.
func (b *testServer) must(method, path, body string, headers ...string) map[string]any {
	b.T.Helper()
	status, answer := b.do(request(method, path, body, headers...))
	if status != http.StatusOK {
		b.T.Fatalf("%s %s %s answers %d: %v", method, path, body, status, answer)
	}
	return answer
}
