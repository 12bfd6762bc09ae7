//lint:file-ignore SA1019 see caller.go

package mcpserver

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/knowledge/gap"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/change"
	"github.com/cairn-kb/cairn/internal/memory/history"
	"github.com/cairn-kb/cairn/internal/memory/read"
	"github.com/cairn-kb/cairn/internal/memory/space"
	"github.com/cairn-kb/cairn/internal/surface/operation"
	"github.com/cairn-kb/cairn/internal/test/apptest"
	"github.com/cairn-kb/cairn/internal/upkeep/gitsync"
)

// newMemory returns a memory with the spaces memory and other.
func newMemory(t *testing.T) *memory.Lazy {
	t.Helper()
	b := apptest.New(t)
	b.Opts.Actor = kb.Actor{Kind: kb.Agent}
	m := b.Lazy()
	a, err := m.Session(t.Context(), true)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"memory", "other"} {
		if _, err := gitsync.AddSpace(t.Context(), a, space.AddRequest{Database: true, Name: name}); err != nil {
			t.Fatal(err)
		}
	}
	return m
}

// withHeader adds a header to every request.
type withHeader struct{ name, value string }

func (h withHeader) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set(h.name, h.value)
	return http.DefaultTransport.RoundTrip(r)
}

// withSessions is the newest version of the protocol with sessions over HTTP.
const withSessions = "2025-11-25"

// dial connects a client with a root over HTTP.
func dial(t *testing.T, url, space, version string) *mcp.ClientSession {
	t.Helper()
	return dialWith(t, url, withHeader{operation.SpaceHeader, space}, version)
}

func dialWith(t *testing.T, url string, header withHeader, version string) *mcp.ClientSession {
	t.Helper()
	client := mcp.NewClient(&mcp.Implementation{Name: "robot", Version: "1"}, nil)
	client.AddRoots(&mcp.Root{URI: "file://" + filepath.ToSlash(t.TempDir())})
	transport := &mcp.StreamableClientTransport{Endpoint: url, HTTPClient: &http.Client{Transport: header}}
	c, err := client.Connect(t.Context(), transport, &mcp.ClientSessionOptions{ProtocolVersion: version})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestForgetsSessionsThatAreOver(t *testing.T) {
	t.Parallel()
	s := New(Options{Memory: newMemory(t)})
	web := httptest.NewServer(s.Handler())
	t.Cleanup(web.Close)
	for i := range 5 {
		c := dial(t, web.URL, "", withSessions)
		if _, err := c.CallTool(t.Context(), &mcp.CallToolParams{Name: "status"}); err != nil {
			t.Fatal(err)
		}
		for _, uri := range []string{indexURI, fmt.Sprint(pagesURI, i)} {
			if err := c.Subscribe(t.Context(), &mcp.SubscribeParams{URI: uri}); err != nil {
				t.Fatal(err)
			}
		}
		s.mu.Lock()
		if len(s.dirs) != 1 || len(s.subscribed) != 2 {
			t.Errorf("with one session there are %d directories and %d subscriptions", len(s.dirs), len(s.subscribed))
		}
		s.mu.Unlock()
		if err := c.Close(); err != nil { // without taking back what it subscribed to
			t.Fatal(err)
		}
	}
}

// The header names the space; subscriptions_test.go has what is subscribed to.
func TestSpaceHeader(t *testing.T) {
	t.Parallel()
	s := New(Options{Memory: newMemory(t)})
	web := httptest.NewServer(s.Handler())
	t.Cleanup(web.Close)
	c := dial(t, web.URL, "other", withSessions)
	r, err := c.CallTool(t.Context(), &mcp.CallToolParams{Name: "write", Arguments: map[string]any{"ref": "a", "text": "x"}})
	if err != nil || r.IsError {
		t.Fatal(r, err)
	}
	a, err := s.Memory().Session(t.Context(), false)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := read.Get(t.Context(), a, read.GetRequest{Ref: "other:a"}); err != nil {
		t.Error(err)
	}
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
}

// Clients that want no session get none, at the same address.
func TestWithoutSession(t *testing.T) {
	t.Parallel()
	s := New(Options{Memory: newMemory(t)})
	web := httptest.NewServer(s.Handler())
	t.Cleanup(web.Close)
	c := dial(t, web.URL, "other", sessionless)
	if v := c.InitializeResult().ProtocolVersion; v != sessionless || c.ID() != "" {
		t.Errorf("the client speaks %s in the session %q", v, c.ID())
	}
	r, err := c.CallTool(t.Context(), &mcp.CallToolParams{Name: "write", Arguments: map[string]any{"ref": "a", "text": "x"}})
	if err != nil || r.IsError {
		t.Fatal(r, err)
	}
	a, err := s.Memory().Session(t.Context(), false)
	if err != nil {
		t.Fatal(err)
	}
	versions, err := history.Recent(t.Context(), a.In("other"), history.RecentRequest{})
	if err != nil || len(versions.Items) != 1 || versions.Items[0].Actor != "agent:robot" {
		t.Errorf("what was written is %+v, %v", versions.Items, err)
	}
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
}

// A token that is bound to an agent says more than its client.
func TestBoundTokenNamesTheAgent(t *testing.T) {
	t.Parallel()
	for _, version := range []string{withSessions, sessionless} {
		s := New(Options{Memory: newMemory(t), Space: "other"})
		web := httptest.NewServer(s.Handler())
		t.Cleanup(web.Close)
		c := dialWith(t, web.URL, withHeader{operation.AgentHeader, "bound"}, version)
		r, err := c.CallTool(t.Context(), &mcp.CallToolParams{Name: "write", Arguments: map[string]any{"ref": "a", "text": "x"}})
		if err != nil || r.IsError {
			t.Fatal(r, err)
		}
		a, err := s.Memory().Session(t.Context(), false)
		if err != nil {
			t.Fatal(err)
		}
		versions, err := history.Recent(t.Context(), a.In("other"), history.RecentRequest{})
		if err != nil || len(versions.Items) != 1 || versions.Items[0].Actor != "agent:bound" {
			t.Errorf("over %s what was written is %+v, %v", version, versions.Items, err)
		}
		if err := c.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// A server of one space answers no page of another, whatever a query names.
func TestQueriesStayInTheSpace(t *testing.T) {
	t.Parallel()
	s := New(Options{Memory: newMemory(t), Space: "other"})
	a, err := s.Memory().Session(t.Context(), false)
	if err != nil {
		t.Fatal(err)
	}
	for _, ref := range []string{"memory:boat", "other:ship"} {
		if _, err := change.Put(t.Context(), a, change.PutRequest{Ref: ref, Text: []byte("A harbour.")}); err != nil {
			t.Fatal(err)
		}
	}
	web := httptest.NewServer(s.Handler())
	t.Cleanup(web.Close)
	c := dial(t, web.URL, "", withSessions)
	t.Cleanup(func() { _ = c.Close() })
	for query, found := range map[string]bool{
		"harbour": true, "space:other harbour": true, "space:memory": false, "space:memory harbour": false,
		"-space:other harbour": false, "zebra OR -space:other": false,
	} {
		r, err := c.CallTool(t.Context(), &mcp.CallToolParams{Name: "recall", Arguments: map[string]any{"query": query}})
		if err != nil || r.IsError {
			t.Fatal(r, err)
		}
		text := r.Content[0].(*mcp.TextContent).Text
		if strings.Contains(text, "memory:boat") || strings.Contains(text, "other:ship") != found {
			t.Errorf("%s answers %s", query, text)
		}
	}
}

// Nor does it show or write what another space had.
func TestHistoryStaysInTheSpace(t *testing.T) {
	t.Parallel()
	s := New(Options{Memory: newMemory(t), Space: "other", Sets: []operation.Set{operation.Core, operation.More, operation.Notes}})
	a, err := s.Memory().Session(t.Context(), false)
	if err != nil {
		t.Fatal(err)
	}
	for _, ref := range []string{"memory:boat", "memory:gone", "other:ship"} {
		if _, err := change.Put(t.Context(), a, change.PutRequest{Ref: ref, Text: []byte("A harbour.")}); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := change.Delete(t.Context(), a, change.DeleteRequest{Ref: "memory:gone"}); err != nil {
		t.Fatal(err)
	}
	gap, err := gap.Log(t.Context(), a.In("memory"), gap.LogRequest{Question: "Who owns the boat?"})
	if err != nil {
		t.Fatal(err)
	}
	web := httptest.NewServer(s.Handler())
	t.Cleanup(web.Close)
	c := dial(t, web.URL, "", withSessions)
	t.Cleanup(func() { _ = c.Close() })
	for _, p := range []mcp.CallToolParams{
		{Name: "build_context", Arguments: map[string]any{"path": "memory://memory/*"}},
		{Name: "gap_remove", Arguments: map[string]any{"id": gap.ID}},
		{Name: "gap_note", Arguments: map[string]any{"id": gap.ID, "context": "for the lease"}},
		{Name: "history", Arguments: map[string]any{"ref": "memory:gone"}},
		{Name: "diff", Arguments: map[string]any{"ref": "memory:gone"}},
		{Name: "restore", Arguments: map[string]any{"ref": "memory:gone"}},
		{Name: "read", Arguments: map[string]any{"ref": "memory:gone", "version": 1}},
		{Name: "read", Arguments: map[string]any{"ref": "memory:boat", "as_of": "1 minute ago"}},
		{Name: "undo", Arguments: map[string]any{"write": 1}},
		{Name: "undo", Arguments: map[string]any{"write": 1, "dry_run": true, "diff": true}},
	} {
		r, err := c.CallTool(t.Context(), &p)
		if err != nil {
			t.Fatal(err)
		}
		if text := r.Content[0].(*mcp.TextContent).Text; !r.IsError || !strings.Contains(text, `"code":"refused"`) {
			t.Errorf("%s %v answers %s", p.Name, p.Arguments, text)
		}
	}
}

// Links that lead into the space or out of it tell nothing of the pages at their other ends.
func TestLinksStayInTheSpace(t *testing.T) {
	t.Parallel()
	s := New(Options{Memory: newMemory(t), Space: "other", Sets: []operation.Set{operation.Core, operation.More, operation.Memories, operation.Notes}})
	a, err := s.Memory().Session(t.Context(), false)
	if err != nil {
		t.Fatal(err)
	}
	for ref, text := range map[string]string{"memory:boat": "A secret of [[other:ship]].", "other:ship": "See [[memory:boat]] and [[pier]].", "other:pier": "Wood."} {
		if _, err := change.Put(t.Context(), a, change.PutRequest{Ref: ref, Text: []byte(text), Title: "Title of " + ref}); err != nil {
			t.Fatal(err)
		}
	}
	web := httptest.NewServer(s.Handler())
	t.Cleanup(web.Close)
	c := dial(t, web.URL, "", withSessions)
	t.Cleanup(func() { _ = c.Close() })
	for _, p := range []mcp.CallToolParams{
		{Name: "graph", Arguments: map[string]any{"ref": "ship"}},
		{Name: "links", Arguments: map[string]any{"ref": "ship"}},
		{Name: "links", Arguments: map[string]any{"ref": "ship", "way": "in"}},
		{Name: "memory_backlinks", Arguments: map[string]any{"slug": "ship"}},
		{Name: "build_context", Arguments: map[string]any{"path": "ship"}},
		{Name: "read_note", Arguments: map[string]any{"path": "ship", "output_format": "json"}},
	} {
		r, err := c.CallTool(t.Context(), &p)
		if err != nil {
			t.Fatal(err)
		}
		if text := r.Content[0].(*mcp.TextContent).Text; r.IsError || strings.Contains(text, "Title of memory") || strings.Contains(text, `"from":"memory:`) || strings.Contains(text, `"from_slug":"memory:`) {
			t.Errorf("%s answers %s", p.Name, text)
		}
	}
}

// What is logged of a call is its tool and its outcome.
func TestLogOfCallsHoldsNoContent(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	s := New(Options{Memory: newMemory(t), Space: "other", Log: slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))})
	web := httptest.NewServer(s.Handler())
	c := dial(t, web.URL, "", withSessions)
	for _, p := range []mcp.CallToolParams{
		{Name: "write", Arguments: map[string]any{"ref": "Zanzibar", "text": "About Zanzibar."}},
		{Name: "recall", Arguments: map[string]any{"query": "Zanzibar"}},
		{Name: "read", Arguments: map[string]any{"ref": "no-Zanzibar"}},
		{Name: "read", Arguments: map[string]any{"Zanzibar": "Zanzibar"}},
	} {
		if _, err := c.CallTool(t.Context(), &p); err != nil {
			t.Fatal(err)
		}
	}
	_ = c.Close()
	web.Close()
	got := regexp.MustCompile(`(?m)^time=\S+ level=DEBUG `).ReplaceAllString(log.String(), "")
	if want := "msg=tool name=write outcome=ok\nmsg=tool name=recall outcome=ok\nmsg=tool name=read outcome=not_found\nmsg=tool name=read outcome=usage\n"; got != want {
		t.Errorf("the log is\n%swant\n%s", got, want)
	}
}

// slowMemory is one that never opens.
type slowMemory struct{ began chan struct{} }

func (m slowMemory) Session(ctx context.Context, _ bool) (*memory.Session, error) {
	m.began <- struct{}{}
	<-ctx.Done()
	return nil, ctx.Err()
}

func TestCloseEndsCalls(t *testing.T) {
	t.Parallel()
	m := slowMemory{make(chan struct{}, 1)}
	s := New(Options{Memory: m, ReadOnly: true})
	web := httptest.NewServer(s.Handler())
	c := dial(t, web.URL, "", withSessions)
	answered := make(chan error, 1)
	go func() {
		_, err := c.CallTool(t.Context(), &mcp.CallToolParams{Name: "status"})
		answered <- err
	}()
	<-m.began
	s.Close()
	if err := <-answered; err == nil {
		t.Error("a call that was cancelled is answered")
	}
	_ = c.Close() // the session is over already
	web.Close()
}

// Who is told to stop does not wait for the calls of a client over streams.
func TestRunThatIsStoppedEndsCalls(t *testing.T) {
	t.Parallel()
	m := slowMemory{make(chan struct{}, 1)}
	s := New(Options{Memory: m, ReadOnly: true})
	in, client := io.Pipe()
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- s.Run(ctx, in, io.Discard) }()
	for _, line := range []string{
		`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`,
		`{"jsonrpc":"2.0","method":"notifications/initialized"}`,
		`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"status","arguments":{}}}`,
	} {
		if _, err := io.WriteString(client, line+"\n"); err != nil {
			t.Fatal(err)
		}
	}
	<-m.began
	stop()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("the server ends with %v", err)
	}
}

func TestCancelledCallHasACode(t *testing.T) {
	t.Parallel()
	m := slowMemory{make(chan struct{}, 1)}
	s := New(Options{Memory: m, ReadOnly: true})
	i := slices.IndexFunc(operation.Tools(), func(tool *operation.Tool) bool { return tool.Name == "status" })
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := s.call(operation.Tools()[i])(ctx, &mcp.CallToolRequest{Params: &mcp.CallToolParamsRaw{}})
	if e := (*jsonrpc.Error)(nil); !errors.As(err, &e) || e.Code != codeCancelled {
		t.Errorf("a call that was cancelled answers %v", err)
	}
}

// A completion says how many there are beyond those that it lists.
func TestCompletionCountsAll(t *testing.T) {
	t.Parallel()
	s := New(Options{Memory: newMemory(t)})
	a, err := s.Memory().Session(t.Context(), false)
	if err != nil {
		t.Fatal(err)
	}
	for i := range maxCompletions + 3 {
		if _, err := change.Put(t.Context(), a.In("other"), change.PutRequest{Ref: fmt.Sprintf("a%03d", i), Text: []byte("x")}); err != nil {
			t.Fatal(err)
		}
	}
	web := httptest.NewServer(s.Handler())
	t.Cleanup(web.Close)
	c := dial(t, web.URL, "other", withSessions)
	for prefix, want := range map[string]int{"a": maxCompletions + 3, "a00": 10} {
		r, err := c.Complete(t.Context(), &mcp.CompleteParams{
			Ref:      &mcp.CompleteReference{Type: "ref/resource", URI: pagesURIs},
			Argument: mcp.CompleteParamsArgument{Name: "slug", Value: prefix},
		})
		if err != nil {
			t.Fatal(err)
		}
		if got := r.Completion; got.Total != want || len(got.Values) != min(want, maxCompletions) || got.HasMore != (want > maxCompletions) {
			t.Errorf("%q has %d of %d completions, more: %t", prefix, len(got.Values), got.Total, got.HasMore)
		}
	}
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
}
