package lsp_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/space"
	"github.com/cairn-kb/cairn/internal/surface/lsp"
	"github.com/cairn-kb/cairn/internal/test/apptest"
	"github.com/cairn-kb/cairn/internal/upkeep/gitsync"
)

// patience is how long a test waits for a message that must come.
const patience = 20 * time.Second

// editor is a client of a server in this process, over pipes.
type editor struct {
	t    *testing.T
	bed  *apptest.Bed
	sess *memory.Session
	root string // of the space notes

	in   io.WriteCloser
	ends chan error
	web  chan kb.ID // the pages that were opened in the web UI

	mu      sync.Mutex
	next    int
	answers map[string]chan answer
	notes   chan notification
}

type answer struct {
	Result json.RawMessage
	Error  *struct {
		Code    int
		Message string
	}
}

type notification struct {
	Method string
	Params json.RawMessage
}

type object = map[string]any

// newEditor starts a server over a space with these files, and initializes the session.
func newEditor(t *testing.T, files map[string]string, capabilities object) *editor {
	t.Helper()
	e := bare(t, files)
	if capabilities == nil {
		capabilities = object{"textDocument": object{
			"hover": object{"contentFormat": []string{"markdown"}}, "documentSymbol": object{"hierarchicalDocumentSymbolSupport": true},
		}}
	}
	e.call("initialize", object{"processId": nil, "rootUri": e.uri(""), "capabilities": capabilities}, nil)
	e.notify("initialized", object{})
	return e
}

// bare starts a server without a session.
func bare(t *testing.T, files map[string]string) *editor {
	t.Helper()
	b := apptest.New(t)
	root := b.Dir("notes", files)
	b.Opts.Watch = true
	sess := b.Open()
	add := space.AddRequest{Root: root, Name: "notes", Preset: "notes"}
	if _, ok := files[".cairn/space.toml"]; ok {
		add = space.AddRequest{Root: root, Accept: true}
	}
	apptest.OK(gitsync.AddSpace(t.Context(), sess, add))(t)
	e := &editor{t: t, bed: b, sess: sess, root: root, answers: map[string]chan answer{}, notes: make(chan notification, 1000), ends: make(chan error, 1), web: make(chan kb.ID, 10)}
	e.start(opened{sess})
	return e
}

// opened is a memory that is open.
type opened struct{ sess *memory.Session }

func (o opened) Session(context.Context, bool) (*memory.Session, error) { return o.sess, nil }

func (e *editor) start(m interface {
	Session(context.Context, bool) (*memory.Session, error)
}) {
	in, toServer := io.Pipe()
	fromServer, out := io.Pipe()
	e.in = toServer
	server := lsp.New(lsp.Options{Memory: m, Caller: memory.Caller{Actor: kb.Actor{Kind: kb.Human}}, Version: "v0", Web: func(_ context.Context, id kb.ID) error {
		e.web <- id
		return nil
	}})
	go func() {
		err := server.Run(context.Background(), in, out)
		_ = out.Close()
		e.ends <- err
	}()
	read := make(chan struct{})
	go func() {
		defer close(read)
		e.read(fromServer)
	}()
	e.t.Cleanup(func() {
		_ = toServer.Close()
		<-read
	})
}

// read hands on what the server says until it ends.
func (e *editor) read(from io.Reader) {
	r := bufio.NewReader(from)
	for {
		length := 0
		for {
			line, err := r.ReadString('\n')
			if err != nil {
				return
			}
			if line = strings.TrimSpace(line); line == "" {
				break
			}
			_, _ = fmt.Sscanf(line, "Content-Length: %d", &length)
		}
		content := make([]byte, length)
		if _, err := io.ReadFull(r, content); err != nil {
			return
		}
		var m struct {
			ID     json.RawMessage
			Method string
			Params json.RawMessage
			answer
		}
		if err := json.Unmarshal(content, &m); err != nil {
			e.t.Errorf("the server sent %q: %v", content, err)
			return
		}
		if m.Method != "" {
			e.notes <- notification{m.Method, m.Params}
			if len(m.ID) > 0 && m.Method == "workspace/applyEdit" {
				e.write(object{"jsonrpc": "2.0", "id": m.ID, "result": object{"applied": true}})
			}
			continue
		}
		e.mu.Lock()
		c := e.answers[string(m.ID)]
		e.mu.Unlock()
		if c == nil {
			e.notes <- notification{"answer", content}
			continue
		}
		c <- m.answer
	}
}

func (e *editor) raw(frame string) {
	if _, err := io.WriteString(e.in, frame); err != nil {
		e.t.Error(err)
	}
}

func (e *editor) write(m object) {
	text, err := json.Marshal(m)
	if err != nil {
		e.t.Error(err)
		return
	}
	e.raw(fmt.Sprintf("Content-Length: %d\r\n\r\n%s", len(text), text))
}

// begin sends a request.
func (e *editor) begin(method string, params any) (id int, c chan answer) {
	c = make(chan answer, 1)
	e.mu.Lock()
	e.next++
	id = e.next
	e.answers[fmt.Sprint(id)] = c
	e.mu.Unlock()
	e.write(object{"jsonrpc": "2.0", "id": id, "method": method, "params": params})
	return id, c
}

// call sends a request, and reads its result into a value.
func (e *editor) call(method string, params, into any) {
	e.t.Helper()
	a := e.try(method, params)
	if a.Error != nil {
		e.t.Fatalf("%s: %s", method, a.Error.Message)
	}
	if into != nil {
		if err := json.Unmarshal(a.Result, into); err != nil {
			e.t.Fatalf("%s: %s: %v", method, a.Result, err)
		}
	}
}

func (e *editor) try(method string, params any) answer {
	e.t.Helper()
	_, c := e.begin(method, params)
	select {
	case a := <-c:
		return a
	case <-time.After(patience):
		e.t.Fatalf("%s: no answer", method)
		return answer{}
	}
}

func (e *editor) notify(method string, params any) {
	e.write(object{"jsonrpc": "2.0", "method": method, "params": params})
}

// wait returns the parameters of the next notification of a method that fit.
func (e *editor) wait(method string, fits func(params json.RawMessage) bool) (params json.RawMessage) {
	e.t.Helper()
	e.until(method, func(n notification) bool {
		params = n.Params
		return n.Method == method && (fits == nil || fits(n.Params))
	})
	return params
}

// until reads notifications, of any method, until one is the last that is waited for.
func (e *editor) until(what string, last func(notification) bool) {
	e.t.Helper()
	late := time.After(patience)
	for {
		select {
		case n := <-e.notes:
			if last(n) {
				return
			}
		case <-late:
			e.t.Fatalf("no %s came", what)
		}
	}
}

// uri is that of a file of the space.
func (e *editor) uri(name string) string {
	return (&url.URL{Scheme: "file", Path: filepath.ToSlash(filepath.Join(e.root, name))}).String()
}

// open opens a file of the space with a text, or the one that it has for "".
func (e *editor) open(name, text string) {
	e.t.Helper()
	if text == "" {
		content, err := os.ReadFile(filepath.Join(e.root, filepath.FromSlash(name)))
		if err != nil {
			e.t.Fatal(err)
		}
		text = string(content)
	}
	e.notify("textDocument/didOpen", object{"textDocument": object{"uri": e.uri(name), "languageId": "markdown", "version": 1, "text": text}})
}

// at are the parameters of a request about the place of a mark in a text, which is "¦".
func (e *editor) at(name, text string) object {
	e.t.Helper()
	before, _, ok := strings.Cut(text, "¦")
	if !ok {
		e.t.Fatalf("no mark in %q", text)
	}
	line := strings.Count(before, "\n")
	last := before[strings.LastIndexByte(before, '\n')+1:]
	return object{"textDocument": object{"uri": e.uri(name)}, "position": object{"line": line, "character": utf16Len(last)}}
}

// edit opens a file with a text with a mark, and returns what at does.
func (e *editor) edit(name, text string) object {
	e.t.Helper()
	e.open(name, strings.Replace(text, "¦", "", 1))
	return e.at(name, text)
}

func utf16Len(s string) (n int) {
	for _, r := range s {
		if n++; r >= 0x10000 {
			n++
		}
	}
	return n
}

type position struct{ Line, Character int }

type rng struct{ Start, End position }

type location struct {
	URI   string
	Range rng
}

// name is the file of a location below the space, with its line and character.
func (e *editor) name(l location) string {
	return fmt.Sprintf("%s:%d:%d", strings.TrimPrefix(l.URI, e.uri("")+"/"), l.Range.Start.Line, l.Range.Start.Character)
}

// diagnostics waits for the diagnostics of a file that fit, and returns them as code: message.
func (e *editor) diagnostics(name string, fits func(found []string) bool) []string {
	e.t.Helper()
	var found, last []string
	defer func() {
		if e.t.Failed() {
			e.t.Logf("last diagnostics: %q", last)
		}
	}()
	e.wait("textDocument/publishDiagnostics", func(params json.RawMessage) bool {
		var p struct {
			URI         string
			Diagnostics []struct {
				Range         rng
				Code, Message string
			}
		}
		if err := json.Unmarshal(params, &p); err != nil || p.URI != e.uri(name) {
			return false
		}
		found = []string{}
		for _, d := range p.Diagnostics {
			found = append(found, fmt.Sprintf("%d:%d %s: %s", d.Range.Start.Line, d.Range.Start.Character, d.Code, d.Message))
		}
		last = found
		return fits(found)
	})
	return found
}
