package torture

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/memory/change"
	"github.com/cairn-kb/cairn/internal/memory/read"
	"github.com/cairn-kb/cairn/internal/surface/server"
	"github.com/cairn-kb/cairn/internal/test/apptest"
	"github.com/cairn-kb/cairn/internal/upkeep/gitsync"
)

// The mistakes of servers, each by its name, as users meet them: with the real
// binary.

// What was answered as done is on the disk when the server ends, in whatever
// way, with the next calls already waiting.
func TestMistakeAnsweredWritesAreNotOnTheDisk(t *testing.T) {
	t.Parallel()
	const writes, awaited = 60, 20
	ends := map[string]func(*talker) error{
		"input ends": func(c *talker) error { return c.in.Close() },
		"killed":     func(c *talker) error { return c.cmd.Process.Kill() },
		"told to end": func(c *talker) error {
			if runtime.GOOS == "windows" {
				return c.cmd.Process.Kill()
			}
			return c.cmd.Process.Signal(syscall.SIGTERM)
		},
	}
	for _, what := range []string{"pipe", "mcp"} {
		for how, end := range ends {
			t.Run(what+", "+how, func(t *testing.T) {
				home := newHome(t, nil)
				c := talk(t, home, "writer", what)
				var answers []<-chan json.RawMessage
				for i := range writes {
					ref := fmt.Sprintf("%s:p%d", []string{"notes", "mem"}[i%2], i)
					answers = append(answers, c.send("write", map[string]any{"ref": ref, "text": generation(ref)}))
				}
				for i := range awaited {
					line, answered := <-answers[i]
					if !answered {
						t.Fatalf("it ended by itself: %s", c.says.String())
					}
					if err := c.read(line, new(api.Written)); err != nil {
						t.Fatal(err)
					}
				}
				if err := end(c); err != nil {
					t.Fatal(err)
				}
				<-c.ended
				_ = c.cmd.Wait() // how it ended is not the matter
				next, reader := newCommands(t, home, "next"), talk(t, home, "reader", "pipe")
				acked := 0
				for i, answer := range answers {
					if i >= awaited {
						line, answered := <-answer
						if !answered {
							continue
						}
						var w api.Written
						if err := c.read(line, &w); err != nil {
							continue // it was told to end before it had begun
						}
					}
					acked++
					ref := fmt.Sprintf("%s:p%d", []string{"notes", "mem"}[i%2], i)
					if page, err := reader.Get(t.Context(), read.GetRequest{Ref: ref}); err != nil || page.Text != generation(ref) {
						t.Errorf("%s was answered as done, and is not there: %v", ref, err)
					}
				}
				if acked < awaited || how == "input ends" && acked != writes {
					t.Errorf("%d of %d writes were answered", acked, writes)
				}
				if err := reader.finish(); err != nil {
					t.Error(err)
				}
				// Nobody is locked out, and nothing is half done.
				apptest.OK(next.Put(t.Context(), change.PutRequest{Ref: "notes:after", Text: []byte("after\n")}))(t)
				var valid any
				if err := next.run(nil, &valid, "db", "validate"); err != nil {
					t.Error(err)
				}
			})
		}
	}
}

// A server that waits for its next line ends when it is told to, though its
// standard input stays open.
func TestMistakeAWaitingServerDoesNotEnd(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("no process can be told to end there")
	}
	for _, waiting := range []struct{ command, line string }{
		{"pipe", `{"id":1,"tool":"status"}`},
		{"mcp", `{"jsonrpc":"2.0","id":1,"method":"ping"}`},
		{"embed --stdin", "a stone"},
	} {
		for _, sig := range []os.Signal{os.Interrupt, syscall.SIGTERM} {
			t.Run(fmt.Sprint(waiting.command, ", ", sig), func(t *testing.T) {
				cmd := newCommands(t, newHome(t, nil), "waiting").command(strings.Fields(waiting.command)...)
				in := apptest.OK(cmd.StdinPipe())(t)
				out := apptest.OK(cmd.StdoutPipe())(t)
				if err := cmd.Start(); err != nil {
					t.Fatal(err)
				}
				late := time.AfterFunc(time.Minute, func() { _ = cmd.Process.Kill() })
				if _, err := in.Write([]byte(waiting.line + "\n")); err != nil {
					t.Error(err)
				}
				answers := bufio.NewReader(out)
				if answer, err := answers.ReadBytes('\n'); err != nil {
					t.Errorf("%q, %v", answer, err)
				}
				if err := cmd.Process.Signal(sig); err != nil {
					t.Error(err)
				}
				if rest, err := io.ReadAll(answers); err != nil || len(rest) > 0 {
					t.Errorf("it went on: %q, %v", rest, err)
				}
				_ = cmd.Wait() // its code is not the matter
				if !late.Stop() {
					t.Error("it waited on")
				}
			})
		}
	}
}

// A line that is no call is answered with an error, and the next one works.
func TestMistakeOneMalformedLineEndsTheServer(t *testing.T) {
	t.Parallel()
	lines := []string{
		"no json", "{", `{"id":`, "null", "[]", "[1,2]", `"text"`, "7", "\x00", "\xff\xfe{}", "{}{}", `{"id":1}`,
		`{"id":{},"tool":"recall"}`, `{"tool":"no such tool"}`, `{"tool":"recall","input":[]}`, `{"tool":"recall","input":{"no":1}}`,
		`{"jsonrpc":"2.0","id":null,"method":"x"}`, `{"jsonrpc":"2.0","method":7}`, `{"jsonrpc":"1.0","id":3,"method":"tools/call"}`,
		strings.Repeat("[", 100_000), `{"a":"` + strings.Repeat("x", 1<<20) + `"}`, "\r", " \t ",
	}
	for _, what := range []string{"pipe", "mcp"} {
		t.Run(what, func(t *testing.T) {
			c := talk(t, newHome(t, nil), "writer", what)
			for i, line := range lines {
				c.line([]byte(line))
				ref := fmt.Sprintf("notes:p%d", i)
				var w api.Written
				if err := c.ask("write", map[string]any{"ref": ref, "text": "x\n"}, &w); err != nil || len(w.Pages) != 1 {
					t.Fatalf("after %.40q: %v", line, err)
				}
			}
			if err := c.finish(); err != nil {
				t.Errorf("it ended with %v: %s", err, c.says.String())
			}
		})
	}
	t.Run("embed --stdin", func(t *testing.T) {
		c := newCommands(t, newHome(t, nil), "embedder")
		cmd := c.command("embed", "--stdin")
		in := apptest.OK(cmd.StdinPipe())(t)
		out := apptest.OK(cmd.StdoutPipe())(t)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		defer func() { _, _ = cmd.Process.Kill(), cmd.Wait() }()
		answers := bufio.NewReader(out)
		for _, line := range []string{"", "\x00", "\xff\xfe", strings.Repeat("stone ", 3000), "\x1b[31m", "a stone"} {
			if _, err := in.Write([]byte(line + "\n")); err != nil {
				t.Fatalf("after %.20q: %v", line, err)
			}
			text := apptest.OK(answers.ReadBytes('\n'))(t)
			var a struct {
				Vector []float32
				Error  string
			}
			if err := json.Unmarshal(text, &a); err != nil || len(a.Vector) == 0 && a.Error == "" {
				t.Errorf("%.20q is answered with %.100q: %v", line, text, err)
			}
		}
	})
}

// blockedModel is a server of embeddings that answers the first question, with
// which a model is added, and no other until it is released.
func blockedModel(t *testing.T) (url string, asked <-chan struct{}) {
	t.Helper()
	began, done := make(chan struct{}, 100), make(chan struct{})
	first := true
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !first {
			began <- struct{}{}
			select {
			case <-done:
			case <-r.Context().Done():
			}
			return
		}
		first = false
		fmt.Fprint(w, `{"object":"list","model":"m","data":[{"object":"embedding","index":0,"embedding":[0.6,0.8]}],"usage":{"prompt_tokens":1,"total_tokens":1}}`)
	}))
	t.Cleanup(func() { close(done); s.Close() })
	return s.URL, began
}

// A write does not wait for what is done in the background, however long that
// takes: here it takes for ever.
func TestMistakeAWriteWaitsForABackgroundThread(t *testing.T) {
	t.Parallel()
	url, asked := blockedModel(t)
	home := newHome(t, map[string]string{"a.md": "# A\n\nembedded some day\n"})
	c := newCommands(t, home, "cli")
	var model any
	for _, args := range [][]string{{"model", "add", "openai/m", "--url", url + "/v1"}, {"model", "use", "openai/m"}} {
		if err := c.run(nil, &model, args...); err != nil {
			t.Fatal(err)
		}
	}
	s := serve(t, home)
	s.untilSynced("notes")
	<-asked // it embeds, and gets no answer
	apptest.OK(c.Put(t.Context(), change.PutRequest{Ref: "notes:written", Text: []byte("---\ntags: [seen]\n---\nnow\n")}))(t)
	apptest.OK(c.Put(t.Context(), change.PutRequest{Ref: "mem:written", Text: []byte("now\n")}))(t)
	writeFile(t, root(home)+"/edited.md", "---\ntags: [seen]\n---\nby an editor\n")
	s.until("that edited.md is synced", func(e server.Event) bool {
		return e.Sync != nil && strings.Contains(strings.Join(e.Sync.Added, " "), "edited.md")
	})
	if n := tagged(t, c, "seen"); n != 2 {
		t.Errorf("%d pages are seen, want 2", n)
	}
	for _, what := range []string{"pipe", "mcp"} {
		if err := talk(t, home, what, what).ask("write", map[string]any{"ref": "notes:" + what, "text": "x\n"}, &api.Written{}); err != nil {
			t.Error(err)
		}
	}
}

// A server that was killed locks nobody out: what is left of it are files of
// locks that nobody holds.
func TestMistakeKilledServerLocksTheCommandLineOut(t *testing.T) {
	t.Parallel()
	for _, what := range []string{"pipe", "mcp", "serve"} {
		t.Run(what, func(t *testing.T) {
			home := newHome(t, map[string]string{"a.md": "# A\n"})
			next := newCommands(t, home, "next")
			if what == "serve" {
				s := serve(t, home)
				s.untilWatched("notes")
				if err := s.cmd.Process.Kill(); err != nil {
					t.Fatal(err)
				}
				_ = s.end() // killed, so always an error
			} else {
				c := talk(t, home, "killed", what)
				if err := c.ask("write", map[string]any{"ref": "notes:b", "text": "b\n"}, &api.Written{}); err != nil {
					t.Fatal(err)
				}
				c.send("write", map[string]any{"ref": "notes:c", "text": "c\n"})
				if err := c.kill(); err != nil {
					t.Fatal(err)
				}
			}
			before := lockFiles(t, home)
			if len(before) == 0 {
				t.Error("the killed server held no lock")
			}
			for _, space := range []string{"notes", "mem"} {
				apptest.OK(next.Put(t.Context(), change.PutRequest{Ref: space + ":after", Text: []byte("after\n")}))(t)
			}
			apptest.OK(next.Sync(t.Context(), gitsync.SyncRequest{}))(t)
			after := lockFiles(t, home)
			for name, was := range before {
				if !os.SameFile(was, after[name]) {
					t.Errorf("the lock file %s is gone: whoever waits at it waits at a file that others do not see", name)
				}
			}
		})
	}
}

// lockFiles returns the lock files by name. They stay open until the test
// ends, so that a new file cannot pass for one that was deleted.
func lockFiles(t *testing.T, home string) map[string]os.FileInfo {
	t.Helper()
	out := map[string]os.FileInfo{}
	dir := home + "/.local/share/cairn/memory.db.locks/"
	for _, e := range apptest.OK(os.ReadDir(dir))(t) {
		f := apptest.OK(os.Open(dir + e.Name()))(t)
		t.Cleanup(func() { _ = f.Close() })
		out[e.Name()] = apptest.OK(f.Stat())(t)
	}
	return out
}
