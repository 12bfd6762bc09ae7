package peers

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cairn-kb/cairn/cmd/cairn/cairntest"
	"github.com/cairn-kb/cairn/internal/files/fsys"
)

// connect starts the binary for a client of the Go SDK. The test ends the
// session.
func connect(t *testing.T, u user) *mcp.ClientSession {
	t.Helper()
	return connectLogging(t, u, io.Discard)
}

// connectLogging writes down each message after it was sent or received.
func connectLogging(t *testing.T, u user, log io.Writer) *mcp.ClientSession {
	t.Helper()
	cmd := u.command(cairntest.Binary(t), "mcp")
	cmd.Stderr = t.Output()
	client := mcp.NewClient(&mcp.Implementation{Name: "peer", Version: "1"}, nil)
	transport := &mcp.LoggingTransport{Transport: &mcp.CommandTransport{Command: cmd}, Writer: log}
	session, err := client.Connect(t.Context(), transport, nil)
	if err != nil {
		t.Fatal(err)
	}
	return session
}

// call returns a tool's answer, which must be none that it failed.
func call(t *testing.T, s *mcp.ClientSession, tool string, args map[string]any) map[string]any {
	t.Helper()
	r, err := s.CallTool(t.Context(), &mcp.CallToolParams{Name: tool, Arguments: args})
	if err != nil {
		t.Errorf("%s: %v", tool, err)
		return nil
	}
	var m map[string]any
	if err := json.Unmarshal([]byte(r.Content[0].(*mcp.TextContent).Text), &m); err != nil || r.IsError {
		t.Errorf("%s answers %v, %v", tool, m, err)
	}
	return m
}

func closeSession(t *testing.T, s *mcp.ClientSession) {
	t.Helper()
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}

func TestConcurrentCalls(t *testing.T) {
	t.Parallel()
	const calls = 40
	s := connect(t, newUser(t))
	defer closeSession(t, s)
	var all sync.WaitGroup
	for i := range calls {
		all.Go(func() { call(t, s, "remember", map[string]any{"text": fmt.Sprintf("Stone number %d.", i)}) })
		all.Go(func() { call(t, s, "recall", map[string]any{"query": "stone"}) })
	}
	all.Wait()
	if m := call(t, s, "status", nil); m["pages"] != float64(calls) {
		t.Errorf("%d calls left %v pages", calls, m["pages"])
	}
}

// watched is a log of messages that reports once when one was sent that holds these words.
type watched map[string]chan bool

const (
	neverLaid = "Never laid."
	cancelled = "notifications/cancelled"
)

func (w watched) Write(line []byte) (int, error) {
	for words, sent := range w {
		if bytes.Contains(line, []byte(words)) {
			select {
			case sent <- true:
			default:
			}
		}
	}
	return len(line), nil
}

// A call that waits, here for the lock of its space, ends when its client
// cancels it: it does nothing later, and others are answered meanwhile.
func TestCancelledCall(t *testing.T) {
	t.Parallel()
	u := newUser(t)
	sent := watched{neverLaid: make(chan bool, 1), cancelled: make(chan bool, 1)}
	s := connectLogging(t, u, sent)
	call(t, s, "remember", map[string]any{"text": "The first stone."})
	locks, err := filepath.Glob(filepath.Join(u.home, ".local", "share", "cairn", "memory.db.locks", "*.lock"))
	locks = slices.DeleteFunc(locks, func(name string) bool { return strings.HasPrefix(filepath.Base(name), "memory") })
	if err != nil || len(locks) == 0 {
		t.Fatalf("there are no locks of spaces: %v", err)
	}
	var unlock []func() error
	for _, name := range locks {
		u, err := fsys.Lock(t.Context(), name, time.Minute)
		if err != nil {
			t.Fatal(err)
		}
		unlock = append(unlock, u)
	}

	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() {
		_, err := s.CallTool(ctx, &mcp.CallToolParams{Name: "remember", Arguments: map[string]any{"text": neverLaid}})
		ended <- err
	}()
	<-sent[neverLaid]
	call(t, s, "recall", map[string]any{"query": "stone"})
	cancel()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("the call ended with %v", err)
	}
	<-sent[cancelled] // which the client does not wait for
	call(t, s, "status", nil)
	for _, u := range unlock {
		if err := u(); err != nil {
			t.Fatal(err)
		}
	}
	closeSession(t, s) // whatever was still to be done is done before the process ends

	s = connect(t, u)
	defer closeSession(t, s)
	if m := call(t, s, "status", nil); m["pages"] != 1.0 {
		t.Errorf("there are %v pages", m["pages"])
	}
}

// converse gives the binary all lines at once, closes its input, and returns
// what it wrote.
func converse(t *testing.T, u user, lines ...string) (out, complaints string) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	cmd := u.command(cairntest.Binary(t), "mcp")
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(strings.Join(lines, "\n")), &stdout, &stderr
	if err := cmd.Run(); err != nil {
		t.Errorf("%v: %s", err, stderr.String())
	}
	return stdout.String(), stderr.String()
}

const hello = `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"raw","version":"1"}}}` +
	"\n" + `{"jsonrpc":"2.0","method":"notifications/initialized"}`

// A client that asks and closes at once gets every answer.
func TestAnswersOutliveTheInput(t *testing.T) {
	t.Parallel()
	const calls = 50
	lines := []string{hello}
	for i := 1; i <= calls; i++ {
		lines = append(lines, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"remember","arguments":{"text":"Stone number %d."}}}`, i, i))
	}
	u := newUser(t)
	out, _ := converse(t, u, lines...)
	answered := messages(t, out)
	for i := 0; i <= calls; i++ {
		if !answered[fmt.Sprint(i)] {
			t.Errorf("request %d has no answer", i)
		}
	}
	s := connect(t, u)
	defer closeSession(t, s)
	if m := call(t, s, "status", nil); m["pages"] != float64(calls) {
		t.Errorf("%d calls left %v pages", calls, m["pages"])
	}
}

// messages returns the ids that are answered. Every line of the output must be
// a message: anything else there breaks the session for good.
func messages(t *testing.T, out string) map[string]bool {
	t.Helper()
	ids := map[string]bool{}
	in := bufio.NewScanner(strings.NewReader(out))
	in.Buffer(nil, 64<<20)
	for in.Scan() {
		var m struct {
			Version string          `json:"jsonrpc"`
			ID      json.RawMessage `json:"id"`
		}
		if err := json.Unmarshal(in.Bytes(), &m); err != nil || m.Version != "2.0" {
			t.Errorf("on standard output: %.200s", in.Text())
		}
		ids[string(m.ID)] = true
	}
	return ids
}

// Whatever there is to complain of goes to standard error.
func TestOutputIsTheProtocol(t *testing.T) {
	t.Parallel()
	status := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"status","arguments":{}}}`
	remember := `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"remember","arguments":{"text":"A stone."}}}`
	for name, spoil := range map[string]func(t *testing.T, data string){
		"whole": func(*testing.T, string) {},
		"damaged": func(t *testing.T, data string) {
			spoilFile(t, filepath.Join(data, "memory.db"), []byte("no database at all, though it is long enough"))
		},
		"in the way": func(t *testing.T, data string) {
			if err := os.MkdirAll(filepath.Join(data, "memory.db"), 0o700); err != nil {
				t.Fatal(err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			u := newUser(t)
			spoil(t, filepath.Join(u.home, ".local", "share", "cairn"))
			out, _ := converse(t, u, hello, `{"not":`, `"neither"`, status, remember)
			if ids := messages(t, out); !ids["0"] || !ids["1"] || !ids["2"] {
				t.Errorf("answered are %v", ids)
			}
		})
	}
}

func spoilFile(t *testing.T, name string, text []byte) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, text, 0o600); err != nil {
		t.Fatal(err)
	}
}
