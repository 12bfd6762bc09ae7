package torture

import (
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/url"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/cairn-kb/cairn/internal/test/apptest"
	"github.com/cairn-kb/cairn/internal/test/slowtest"
)

// MB of memory at the peak: in a command, and in a server with one page, with four at once,
// and where one is edited while it is embedded.
const (
	commandPeak    = 420
	onePage        = 440
	fourPages      = 850
	whileEmbedding = 500
)

// largePage is a page of nearly 60 MiB.
func largePage(n int) string {
	line := fmt.Sprintf("Words of page %d in a line.\n", n)
	return strings.Repeat(line, (60<<20)/len(line))
}

// manyWords is a page of nearly 60 MiB of 20,000 words without order, under headings: it
// compresses to a half, and each of its passages is another one.
func manyWords() string {
	rng := rand.New(rand.NewPCG(34, 60))
	words := make([]string, 20_000)
	for i := range words {
		word := make([]byte, 3+rng.IntN(8))
		for j := range word {
			word[j] = byte('a' + rng.IntN(26))
		}
		words[i] = string(word)
	}
	var b strings.Builder
	for n := 0; b.Len() < 60<<20-200; n++ {
		if n%600 == 0 {
			fmt.Fprintf(&b, "\n## Heading %d\n\n", n)
		}
		b.WriteString(words[rng.IntN(len(words))])
		b.WriteByte(" \n"[min(n%12/11, 1)])
	}
	return b.String()
}

// A page of 60 MiB takes bounded memory over every surface, in a directory and in the
// database.
func TestLargePagesTakeBoundedMemory(t *testing.T) {
	t.Parallel()
	slowtest.NoRace(t, "the work is done by a binary without the detector")
	slowtest.Skip(t, "pages of 60 MiB")
	text := []byte(largePage(0))
	for _, space := range []string{"notes", "mem"} {
		t.Run("commands, "+space, func(t *testing.T) {
			c := measured(t, newCommands(t, newHome(t, nil), "writer"))
			ref := space + ":large"
			for _, step := range []struct {
				stdin []byte
				args  []string
			}{
				{text, []string{"put", ref}},
				{nil, []string{"get", ref}},
				{nil, []string{"search", "line", "--space", space}},
				{nil, []string{"edit", ref, "--append", "More."}},
			} {
				var answer any
				if err := c.run(step.stdin, &answer, step.args...); err != nil {
					t.Fatalf("%s: %v", step.args[0], err)
				}
				t.Log(step.args[0])
				checkPeak(t, c, commandPeak*1_000_000>>20)
			}
		})
		t.Run("web UI, "+space, func(t *testing.T) {
			home := newHome(t, nil)
			s, w := serveHTTP(t, home)
			body, err := json.Marshal(map[string]string{"text": largePage(0)})
			if err != nil {
				t.Fatal(err)
			}
			page := fmt.Sprintf("/api/v1/pages/%s:large", space)
			w.ask("PUT", page, string(body))
			body = nil
			w.ask("PATCH", page, `{"edits":[{"do":"append","text":"More."}]}`)
			look := w.signIn(home)
			for _, screen := range []string{"page/%s:large", "page/%s:large?from=90000", "page/%s:large?version=1", "history/%s:large", "blame/%s:large", "move?ref=%s:large&to=other", "?q=words&space=%s"} {
				if code, size := look(fmt.Sprintf("/"+screen, space)); code != http.StatusOK || size > 1<<20 {
					t.Errorf("%s: %d, %d bytes", screen, code, size)
				}
				t.Log(screen)
				checkProcess(t, s.cmd.Process.Pid, whileEmbedding)
			}
			if code, _ := look(fmt.Sprintf("/edit/%s:large", space)); code != http.StatusBadRequest {
				t.Errorf("a form for a page that is too large: %d", code)
			}
			checkProcess(t, s.cmd.Process.Pid, whileEmbedding)
		})
		for pages, limit := range map[int]int{1: onePage, 4: fourPages} {
			t.Run(fmt.Sprintf("%d over HTTP, %s", pages, space), func(t *testing.T) {
				s, w := serveHTTP(t, newHome(t, nil))
				var all sync.WaitGroup
				for i := range pages {
					body, err := json.Marshal(map[string]string{"text": largePage(i)})
					if err != nil {
						t.Fatal(err)
					}
					all.Go(func() { w.ask("PUT", fmt.Sprintf("/api/v1/pages/%s:large%d", space, i), string(body)) })
				}
				all.Wait()
				checkProcess(t, s.cmd.Process.Pid, limit)
				for i := range pages {
					all.Go(func() {
						w.ask("PATCH", fmt.Sprintf("/api/v1/pages/%s:large%d", space, i), `{"edits":[{"do":"append","text":"More."}]}`)
					})
				}
				all.Wait()
				checkProcess(t, s.cmd.Process.Pid, max(limit, whileEmbedding))
				if pages == 1 {
					read := fmt.Sprintf("/api/v1/%%s/%s:large0", space)
					for _, of := range []string{"history", "diff", "blame"} {
						w.ask("GET", fmt.Sprintf(read, of), "")
					}
					w.ask("GET", "/api/v1/recall?query=words+in+a+line&space="+space, "")
					w.ask("POST", "/api/v1/undo", `{"space":"`+space+`"}`)
					w.ask("POST", "/api/v1/redo", `{"space":"`+space+`"}`)
					checkProcess(t, s.cmd.Process.Pid, whileEmbedding)
					w.ask("GET", fmt.Sprintf("/api/v1/pages/%s:large0", space), "")
					w.ask("PATCH", fmt.Sprintf("/api/v1/pages/%s:large0", space), `{"edits":[{"do":"append","text":"More."}],"diff":true}`)
					w.ask("POST", fmt.Sprintf("/api/v1/restore/%s:large0", space), `{"version":1}`)
					w.ask("DELETE", fmt.Sprintf("/api/v1/pages/%s:large0", space), "")
					w.ask("POST", fmt.Sprintf("/api/v1/restore/%s:large0", space), "{}")
					w.ask("POST", fmt.Sprintf("/api/v1/move/%s:large0", space), `{"to":"moved"}`)
					checkProcess(t, s.cmd.Process.Pid, whileEmbedding)
				}
			})
			t.Run(fmt.Sprintf("%d over streams, %s", pages, space), func(t *testing.T) {
				c := talk(t, newHome(t, nil), "writer", "mcp")
				var answers []<-chan json.RawMessage
				for i := range pages {
					answers = append(answers, c.send("write", map[string]any{"ref": fmt.Sprintf("%s:large%d", space, i), "text": largePage(i)}))
				}
				for _, answer := range answers {
					var written any
					if err := c.read(<-answer, &written); err != nil {
						t.Fatal(err)
					}
				}
				checkProcess(t, c.cmd.Process.Pid, limit)
			})
		}
	}
	t.Run("many words over HTTP", func(t *testing.T) {
		s, w := serveHTTP(t, newHome(t, nil))
		body, err := json.Marshal(map[string]string{"text": manyWords()})
		if err != nil {
			t.Fatal(err)
		}
		const page = "/api/v1/pages/notes:large"
		w.ask("PUT", page, string(body))
		body = nil
		checkProcess(t, s.cmd.Process.Pid, onePage)
		w.ask("GET", page, "")
		w.ask("PATCH", page, `{"edits":[{"do":"append","text":"More."}],"diff":true}`)
		w.ask("POST", "/api/v1/restore/notes:large", `{"version":1}`)
		w.ask("DELETE", page, "")
		checkProcess(t, s.cmd.Process.Pid, whileEmbedding)
	})
	t.Run("a sync of four", func(t *testing.T) {
		files := map[string]string{}
		for i := range 4 {
			files[fmt.Sprintf("large%d.md", i)] = largePage(i)
		}
		c := measured(t, newCommands(t, newHome(t, files), "reader"))
		var answer any
		if err := c.run(nil, &answer, "sync"); err != nil {
			t.Fatal(err)
		}
		checkPeak(t, c, commandPeak*1_000_000>>20)
	})
}

// signIn signs in to the web UI, and returns a function that reads a screen.
func (w *web) signIn(home string) func(path string) (status, size int) {
	w.t.Helper()
	var link struct{ URL string }
	if err := newCommands(w.t, home, "human").run(nil, &link, "web", "--print"); err != nil {
		w.t.Fatal(err)
	}
	at := apptest.OK(url.Parse(link.URL))(w.t)
	var cookies []*http.Cookie
	return func(path string) (int, int) {
		w.t.Helper()
		for {
			target := path
			if cookies == nil {
				target = at.RequestURI()
			}
			r := apptest.OK(http.NewRequestWithContext(w.t.Context(), http.MethodGet, w.url+target, nil))(w.t)
			r.Host = at.Host
			for _, c := range cookies {
				r.AddCookie(c)
			}
			answer := apptest.OK(http.DefaultClient.Do(r))(w.t)
			size := apptest.OK(io.Copy(io.Discard, answer.Body))(w.t)
			_ = answer.Body.Close()
			if cookies != nil {
				return answer.StatusCode, int(size)
			}
			if cookies = answer.Cookies(); cookies == nil {
				w.t.Fatalf("no session: %s", answer.Status)
			}
		}
	}
}

// checkProcess holds what a process took so far to a number of MB.
func checkProcess(t *testing.T, pid, limit int) {
	t.Helper()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(status), "VmHWM:")
	var kib int
	if _, err := fmt.Sscan(rest, &kib); err != nil {
		t.Fatalf("%v in %s", err, status)
	}
	mb := kib * 1024 / 1_000_000
	t.Logf("peak %d MB", mb)
	if mb > limit {
		t.Errorf("took %d MB of memory, more than %d", mb, limit)
	}
}
