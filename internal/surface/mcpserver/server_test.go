//lint:file-ignore SA1019 clients of today say by their roots where they work; there is nothing in its place yet

package mcpserver_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory/space"
	"github.com/cairn-kb/cairn/internal/surface/mcpserver"
	"github.com/cairn-kb/cairn/internal/test/apptest"
	"github.com/cairn-kb/cairn/internal/upkeep/gitsync"
)

// newServer returns a server over a memory without spaces, and its
// home directory.
func newServer(t *testing.T, opts mcpserver.Options) (*mcpserver.Server, string) {
	t.Helper()
	b := apptest.New(t)
	b.Opts.Actor = kb.Actor{Kind: kb.Agent}
	opts.Memory, opts.Dir = b.Lazy(), b.Home
	return mcpserver.New(opts), b.Home
}

// connect gives a client a session with the server over streams, and ends it
// with the test.
func connect(t *testing.T, s *mcpserver.Server, client *mcp.Client) *mcp.ClientSession {
	t.Helper()
	return connectAs(t, s, client, "2025-11-25") // what clients speak that have roots
}

func connectAs(t *testing.T, s *mcpserver.Server, client *mcp.Client, version string) *mcp.ClientSession {
	t.Helper()
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	var running sync.WaitGroup
	running.Go(func() {
		if err := s.Run(context.Background(), inR, outW); err != nil {
			t.Errorf("the server ends with %v", err)
		}
		if err := outW.Close(); err != nil {
			t.Error(err)
		}
	})
	session, err := client.Connect(context.Background(), &mcp.IOTransport{Reader: outR, Writer: inW}, &mcp.ClientSessionOptions{ProtocolVersion: version})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = session.Close() // says that the pipe is closed
		running.Wait()
	})
	return session
}

func call(t *testing.T, s *mcp.ClientSession, tool string, args map[string]any) (map[string]any, bool) {
	t.Helper()
	r, err := s.CallTool(context.Background(), &mcp.CallToolParams{Name: tool, Arguments: args})
	if err != nil {
		t.Fatalf("%s: %v", tool, err)
	}
	if len(r.Content) != 1 {
		t.Fatalf("%s answers %d contents", tool, len(r.Content))
	}
	var m map[string]any
	if err := json.Unmarshal([]byte(r.Content[0].(*mcp.TextContent).Text), &m); err != nil {
		t.Fatal(err)
	}
	return m, r.IsError
}

func TestSession(t *testing.T) {
	t.Parallel()
	s, _ := newServer(t, mcpserver.Options{})
	updated := make(chan string, 8)
	client := mcp.NewClient(&mcp.Implementation{Name: "robot", Version: "1"}, &mcp.ClientOptions{
		ResourceUpdatedHandler: func(_ context.Context, r *mcp.ResourceUpdatedNotificationRequest) { updated <- r.Params.URI },
	})
	c := connect(t, s, client)
	ctx := context.Background()
	tools, err := c.ListTools(ctx, nil)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, tool := range tools.Tools {
		names = append(names, tool.Name)
		if tool.OutputSchema == nil || tool.Annotations == nil {
			t.Errorf("%s has no output schema or no annotations", tool.Name)
		}
	}
	if got := strings.Join(names, " "); got != "browse edit read recall remember status undo write" {
		t.Errorf("the tools are %s", got)
	}

	call(t, c, "remember", map[string]any{"text": "Cairns mark the way."})
	if m, _ := call(t, c, "browse", map[string]any{"what": "recent"}); m["items"].([]any)[0].(map[string]any)["actor"] != "agent:robot" {
		t.Errorf("the history says %v", m)
	}
	m, failed := call(t, c, "write", map[string]any{"ref": "cairns-mark-the-way", "text": "x"})
	if code := m["error"].(map[string]any)["code"]; !failed || code != "conflict" {
		t.Errorf("writing over a page answers %v", m)
	}

	const uri = "memory://pages/cairns-mark-the-way"
	read, err := c.ReadResource(ctx, &mcp.ReadResourceParams{URI: uri})
	if err != nil || !strings.Contains(read.Contents[0].Text, "Cairns mark") {
		t.Errorf("the page reads %v, %v", read, err)
	}
	if read, err = c.ReadResource(ctx, &mcp.ReadResourceParams{URI: "memory://index"}); err != nil || !strings.Contains(read.Contents[0].Text, "memory://pages/memory:cairns-mark-the-way") {
		t.Errorf("the index reads %v, %v", read, err)
	}
	done, err := c.Complete(ctx, &mcp.CompleteParams{
		Ref:      &mcp.CompleteReference{Type: "ref/resource", URI: "memory://pages/{+slug}"},
		Argument: mcp.CompleteParamsArgument{Name: "slug", Value: "cai"},
	})
	if err != nil || !slices.Equal(done.Completion.Values, []string{"cairns-mark-the-way"}) {
		t.Errorf("the completions are %v, %v", done, err)
	}

	for _, u := range []string{uri, "memory://index"} {
		if err := c.Subscribe(ctx, &mcp.SubscribeParams{URI: u}); err != nil {
			t.Fatal(err)
		}
	}
	ticks := make(chan time.Time)
	watching, stop := context.WithCancel(ctx)
	var watcher sync.WaitGroup
	watcher.Go(func() { s.Watch(watching, ticks) })
	t.Cleanup(func() { stop(); watcher.Wait() })
	ticks <- time.Time{}
	call(t, c, "edit", map[string]any{"ref": "cairns-mark-the-way", "edits": []any{map[string]any{"do": "append", "text": "More."}}})
	ticks <- time.Time{}
	got := []string{<-updated, <-updated}
	slices.Sort(got)
	if !slices.Equal(got, []string{"memory://index", uri}) {
		t.Errorf("clients hear of %v", got)
	}
}

// A client that says where it works works in that directory's space.
func TestRoots(t *testing.T) {
	t.Parallel()
	s, home := newServer(t, mcpserver.Options{})
	client := mcp.NewClient(&mcp.Implementation{Name: "robot", Version: "1"}, nil)
	first := connect(t, s, client)
	call(t, first, "remember", map[string]any{"text": "In the database."})

	dir := filepath.Join(home, "project")
	if err := os.MkdirAll(filepath.Join(dir, "below"), 0o755); err != nil {
		t.Fatal(err)
	}
	a, err := s.Memory().Session(context.Background(), false)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := gitsync.AddSpace(context.Background(), a.As(kb.Actor{Kind: kb.Human}), space.AddRequest{Root: dir}); err != nil {
		t.Fatal(err)
	}
	rooted := mcp.NewClient(&mcp.Implementation{Name: "robot", Version: "1"}, nil)
	rooted.AddRoots(&mcp.Root{URI: "https://example.org/"}, &mcp.Root{URI: "file://" + filepath.ToSlash(dir) + "/below"})
	second := connect(t, s, rooted)
	for _, tc := range []struct {
		c    *mcp.ClientSession
		want any
	}{{first, "memory"}, {second, "project"}} { // of two, the one that the first page made
		if m, _ := call(t, tc.c, "status", nil); m["current"] != tc.want {
			t.Errorf("the space is %v, want %v", m["current"], tc.want)
		}
	}
}

func TestReadOnly(t *testing.T) {
	t.Parallel()
	s, _ := newServer(t, mcpserver.Options{ReadOnly: true})
	c := connect(t, s, mcp.NewClient(&mcp.Implementation{Name: "robot", Version: "1"}, nil))
	tools, err := c.ListTools(context.Background(), nil)
	if err != nil || len(tools.Tools) != 4 {
		t.Fatalf("%d tools, %v", len(tools.Tools), err)
	}
	for _, tool := range tools.Tools {
		if !tool.Annotations.ReadOnlyHint {
			t.Errorf("%s writes", tool.Name)
		}
	}
}

func TestHandler(t *testing.T) {
	t.Parallel()
	s, _ := newServer(t, mcpserver.Options{})
	web := httptest.NewServer(s.Handler())
	t.Cleanup(web.Close)
	client := mcp.NewClient(&mcp.Implementation{Name: "robot", Version: "1"}, nil)
	c, err := client.Connect(context.Background(), &mcp.StreamableClientTransport{Endpoint: web.URL}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	})
	var calls sync.WaitGroup
	for i := range 16 {
		calls.Go(func() {
			if m, failed := call(t, c, "remember", map[string]any{"text": fmt.Sprintf("Note number %d", i)}); failed {
				t.Errorf("call %d: %v", i, m)
			}
		})
	}
	calls.Wait()
	if m, _ := call(t, c, "status", nil); m["pages"] != 16.0 {
		t.Errorf("16 clients left %v pages", m["pages"])
	}
}

// A client that writes all it has and closes its end is answered in full, and
// lines that are no messages are answered, too.
func TestInputThatEndsAtOnce(t *testing.T) {
	t.Parallel()
	s, _ := newServer(t, mcpserver.Options{})
	lines := []string{
		`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`,
		`{"jsonrpc":"2.0","method":"notifications/initialized"}`,
		`{"jsonrpc":`,
		`[1,2]`,
		`{"jsonrpc":"2.0","id":"a","method":"tools/call","params":{"name":"remember","arguments":{"text":"hello"}}}`,
		`{"jsonrpc":"2.0","id":3,"method":"no/such"}`,
		`{"jsonrpc":"2.0","id":4,"method":"tools/list"}`, // without a line end
	}
	var out strings.Builder
	if err := s.Run(context.Background(), io.NopCloser(strings.NewReader(strings.Join(lines, "\n"))), &out); err != nil {
		t.Fatal(err)
	}
	var ids []string
	in := bufio.NewScanner(strings.NewReader(out.String()))
	in.Buffer(nil, 1<<20)
	for in.Scan() {
		var m struct {
			ID json.RawMessage `json:"id"`
		}
		if err := json.Unmarshal(in.Bytes(), &m); err != nil {
			t.Fatalf("%s: %v", in.Text(), err)
		}
		ids = append(ids, string(m.ID))
	}
	slices.Sort(ids)
	if got := strings.Join(ids, " "); got != `"a" 1 3 4 null null` {
		t.Errorf("answered are %s", got)
	}
}
