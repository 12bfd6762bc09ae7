package lsp_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/space"
	"github.com/cairn-kb/cairn/internal/surface/lsp"
	"github.com/cairn-kb/cairn/internal/upkeep"
	"github.com/cairn-kb/cairn/internal/upkeep/gitsync"
)

// benchPages is how many pages the vault of the benchmarks has, next to the large one.
const benchPages = 1000

// benchVault indexes a vault of linked pages and one of 100 KB with 500 links, and returns what
// opens its memory and where it is.
func benchVault(b *testing.B) (opts memory.Options, root string) {
	b.Helper()
	home := b.TempDir()
	root = filepath.Join(home, "notes")
	if err := os.MkdirAll(root, 0o755); err != nil {
		b.Fatal(err)
	}
	write := func(name, text string) {
		if err := os.WriteFile(filepath.Join(root, name), []byte(text), 0o644); err != nil {
			b.Fatal(err)
		}
	}
	for i := range benchPages {
		write(fmt.Sprintf("p%d.md", i), fmt.Sprintf("# Page %d\n\nSee [[Page %d]].\n\n%s", i, (i+1)%benchPages, strings.Repeat("A line of it.\n", 20)))
	}
	var large strings.Builder
	large.WriteString("# Large\n")
	for i := range 500 {
		fmt.Fprintf(&large, "\n## Part %d\n\nSee [[Page %d]].\n%s", i, i, strings.Repeat("Some words of a line of the text.\n", 5))
	}
	write("large.md", large.String())
	opts = memory.Options{
		Hooks: upkeep.Hooks(), Place: space.Place{Env: func(string) string { return "" }, Dir: home, Home: home},
		Now: time.Now, Actor: kb.Actor{Kind: kb.Human},
	}
	lazy := memory.NewLazy(opts)
	sess, err := lazy.Session(b.Context(), true)
	if err != nil {
		b.Fatal(err)
	}
	if _, err := gitsync.AddSpace(b.Context(), sess, space.AddRequest{Root: root, Name: "notes", Preset: "notes"}); err != nil {
		b.Fatal(err)
	}
	if _, err := gitsync.Sync(b.Context(), sess, gitsync.SyncRequest{Space: "notes", Yes: true}); err != nil {
		b.Fatal(err)
	}
	if err := lazy.Close(); err != nil {
		b.Fatal(err)
	}
	return opts, root
}

// benchClient is an editor without a window.
type benchClient struct {
	b    *testing.B
	in   io.WriteCloser
	out  *bufio.Reader
	ends chan error
	lazy *memory.Lazy
}

func startBench(b *testing.B, opts memory.Options) *benchClient {
	in, toServer := io.Pipe()
	fromServer, out, err := os.Pipe() // has room for what nobody reads yet
	if err != nil {
		b.Fatal(err)
	}
	c := &benchClient{b, toServer, bufio.NewReader(fromServer), make(chan error, 1), memory.NewLazy(opts)}
	go func() {
		err := lsp.New(lsp.Options{Memory: c.lazy, Caller: memory.Caller{Actor: opts.Actor}}).Run(context.Background(), in, out)
		_ = out.Close()
		c.ends <- err
	}()
	return c
}

func (c *benchClient) send(m object) {
	m["jsonrpc"] = "2.0"
	text, err := json.Marshal(m)
	if err != nil {
		c.b.Fatal(err)
	}
	if _, err := fmt.Fprintf(c.in, "Content-Length: %d\r\n\r\n%s", len(text), text); err != nil {
		c.b.Fatal(err)
	}
}

// until reads messages to the first one with all of the texts.
func (c *benchClient) until(texts ...string) {
	for {
		n := 0
		for {
			line, err := c.out.ReadString('\n')
			if err != nil {
				c.b.Fatal(err)
			}
			if line = strings.TrimSpace(line); line == "" {
				break
			}
			if length, ok := strings.CutPrefix(line, "Content-Length: "); ok {
				if n, err = strconv.Atoi(length); err != nil {
					c.b.Fatal(err)
				}
			}
		}
		content := make([]byte, n)
		if _, err := io.ReadFull(c.out, content); err != nil {
			c.b.Fatal(err)
		}
		all := true
		for _, text := range texts {
			all = all && bytes.Contains(content, []byte(text))
		}
		if all {
			return
		}
	}
}

// open begins a session and opens the large page.
func (c *benchClient) open(root string) (uri string) {
	text, err := os.ReadFile(filepath.Join(root, "large.md"))
	if err != nil {
		c.b.Fatal(err)
	}
	uri = (&url.URL{Scheme: "file", Path: filepath.ToSlash(filepath.Join(root, "large.md"))}).String()
	c.send(object{"id": 1, "method": "initialize", "params": object{"capabilities": object{}}})
	c.send(object{"method": "initialized", "params": object{}})
	c.send(object{"method": "textDocument/didOpen", "params": object{"textDocument": object{"uri": uri, "languageId": "markdown", "version": 1, "text": string(text)}}})
	return uri
}

func (c *benchClient) end() {
	_ = c.in.Close()
	_, _ = io.Copy(io.Discard, c.out)
	if err := <-c.ends; err != nil {
		c.b.Fatal(err)
	}
	if err := c.lazy.Close(); err != nil {
		c.b.Fatal(err)
	}
}

// BenchmarkFirstAnswer starts a server over an indexed vault and asks where a link leads. The
// target is 50 ms.
func BenchmarkFirstAnswer(b *testing.B) {
	opts, root := benchVault(b)
	for b.Loop() {
		c := startBench(b, opts)
		uri := c.open(root)
		c.send(object{"id": 2, "method": "textDocument/definition", "params": object{"textDocument": object{"uri": uri}, "position": object{"line": 4, "character": 8}}})
		c.until(`"id":2`, "p0.md")
		b.StopTimer()
		c.end()
		b.StartTimer()
	}
}

// BenchmarkKeystroke types into a page of 100 KB until the diagnostics of the new text are
// there. The target is 30 ms.
func BenchmarkKeystroke(b *testing.B) {
	opts, root := benchVault(b)
	c := startBench(b, opts)
	defer c.end()
	uri := c.open(root)
	at := object{"line": 1, "character": 0}
	change := func(version int) {
		text := fmt.Sprintf("[[Nobody %d]] ", version)
		c.send(object{"method": "textDocument/didChange", "params": object{
			"textDocument":   object{"uri": uri, "version": version},
			"contentChanges": []object{{"range": object{"start": at, "end": object{"line": 1, "character": 999}}, "text": text}},
		}})
		c.until("publishDiagnostics", fmt.Sprintf("no page is called Nobody %d\"", version))
	}
	version := 2
	change(version) // opens the memory
	for b.Loop() {
		version++
		change(version)
	}
}
