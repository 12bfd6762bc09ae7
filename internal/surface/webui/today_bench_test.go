//go:build unix

package webui_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/change"
	"github.com/cairn-kb/cairn/internal/memory/space"
	"github.com/cairn-kb/cairn/internal/surface/login"
	"github.com/cairn-kb/cairn/internal/surface/webui"
	"github.com/cairn-kb/cairn/internal/upkeep"
)

// benched is a server over a memory that agents have written to.
type benched struct {
	*testing.B
	*memory.Session
	clock  time.Time
	answer http.Handler
	cookie string
}

func newBenched(b *testing.B) *benched {
	out := &benched{B: b, clock: time.Date(2026, 11, 28, 12, 0, 0, 0, time.UTC)}
	home, now := b.TempDir(), func() time.Time { return out.clock }
	lazy := memory.NewLazy(memory.Options{
		Hooks: upkeep.Hooks(), Place: space.Place{Env: func(string) string { return "" }, Dir: home, Home: home}, Now: now, Actor: ada,
	})
	b.Cleanup(func() { _ = lazy.Close() })
	sess, err := lazy.Session(b.Context(), true)
	if err != nil {
		b.Fatal(err)
	}
	out.Session = sess
	if _, err := sess.Spaces.Add(b.Context(), space.AddRequest{Name: "memory", Database: true}); err != nil {
		b.Fatal(err)
	}
	ui, err := webui.New(webui.Options{Memory: lazy, Secret: func() string { return secret }, Host: login.Host(secret), Now: now, Ledger: login.Ledger{Dir: b.TempDir()}})
	if err != nil {
		b.Fatal(err)
	}
	out.answer = ui.Handler(func(_ int64, next http.Handler) http.Handler { return next }, http.NotFoundHandler())
	w := out.do("/login?" + url.Values{"ticket": {login.New(secret, login.Link, ada, out.clock)}}.Encode())
	for _, c := range w.Result().Cookies() {
		out.cookie = c.Value
	}
	return out
}

func (b *benched) do(path string) *httptest.ResponseRecorder {
	r := httptest.NewRequestWithContext(context.Background(), http.MethodGet, "http://"+login.Host(secret)+":22476"+path, nil)
	r.AddCookie(&http.Cookie{Name: "cairn_session", Value: b.cookie})
	w := httptest.NewRecorder()
	b.answer.ServeHTTP(w, r)
	return w
}

func (b *benched) put(by, ref, text string) {
	b.Actor = kb.Actor{Kind: kb.Agent, Name: by}
	if _, err := change.Put(b.B.Context(), b.Session, change.PutRequest{Ref: ref, Text: []byte(text), Overwrite: true}); err != nil {
		b.Fatal(err)
	}
	b.Actor = ada
}

// short makes n smaller with -short, which only shows that a benchmark runs.
func short(n int) int {
	if testing.Short() {
		return n / 20
	}
	return n
}

// BenchmarkToday shows Today after 10,000 writes of three agents to 2,000 pages, in sessions
// of about 100.
func BenchmarkToday(b *testing.B) {
	s := newBenched(b)
	for i := range short(10_000) {
		if i%100 == 0 {
			s.clock = s.clock.Add(31 * time.Minute)
		}
		s.clock = s.clock.Add(time.Second)
		s.put([]string{"claude", "codex", "cursor"}[i/100%3], fmt.Sprintf("p%d", i%2000), fmt.Sprintf("# Page %d\n\nWritten %d times.\n\n%s", i%2000, i, strings.Repeat("A line of it.\n", 20)))
	}
	b.Run("again", func(b *testing.B) {
		s.shows(b, "/today", "Written by agents", func() {})
	})
	// After a write nothing that was computed before is of use.
	b.Run("first", func(b *testing.B) {
		s.shows(b, "/today", "Written by agents", func() {
			s.clock = s.clock.Add(time.Second)
			s.put("claude", "p0", "# Page 0\n\n"+s.clock.String())
		})
	})
}

// BenchmarkBlame shows who wrote each line of a page of 300 lines with 500 versions.
func BenchmarkBlame(b *testing.B) {
	s := newBenched(b)
	lines := strings.Split(strings.Repeat("A line of the page with some words.\n", 300), "\n")
	versions := short(500)
	for i := range versions {
		lines[i*7%300] = fmt.Sprintf("Line that version %d changed.", i)
		s.clock = s.clock.Add(time.Second)
		s.put("claude", "p", strings.Join(lines, "\n"))
	}
	s.shows(b, "/blame/memory:p", fmt.Sprint("version ", versions), func() {})
}

// BenchmarkPage shows a page of 20 KB with 200 links, of which 50 lead back; and parts of pages
// of 1 and 5 MB.
func BenchmarkPage(b *testing.B) {
	s := newBenched(b)
	var text, large strings.Builder
	for i := range 200 {
		if i < 50 {
			s.put("claude", fmt.Sprintf("p%d", i), fmt.Sprintf("# Page %d\n\nSee [[hub]].\n", i))
		}
		fmt.Fprintf(&text, "## Section %d\n\nSome words about [[p%d]] and *more* of them, `code` too.\n\n", i, i%50)
	}
	for i := 0; large.Len() < 1<<20; i++ {
		fmt.Fprintf(&large, "Line %d has some *words* and a link to [[p%d]] in it.\n%s", i, i%50, strings.Repeat("\n", i%5/4))
	}
	s.put("claude", "hub", "# Hub\n\n"+text.String())
	s.put("claude", "large", "# Large\n\n"+large.String())
	b.Run("usual", func(b *testing.B) { s.shows(b, "/page/memory:hub", "Section 199", func() {}) })
	five := large.String()
	for len(five) < 5<<20 {
		five += five
	}
	s.put("claude", "five", "# Five\n\n"+five)
	b.Run("5MB", func(b *testing.B) { s.shows(b, "/page/memory:five?from=60000", "has some", func() {}) })
	b.Run("1MB", func(b *testing.B) { s.shows(b, "/page/memory:large", "Line 1 has", func() {}) })
}

// BenchmarkPast asks the same question as of the same day again, among 2,000 pages.
func BenchmarkPast(b *testing.B) {
	s := newBenched(b)
	for i := range short(2000) {
		s.put("claude", fmt.Sprintf("p%d", i), fmt.Sprintf("# Page %d\n\nAn engine of %d parts.\n", i, i))
	}
	day := s.clock.Format(time.DateOnly)
	s.clock = s.clock.AddDate(0, 0, 3)
	s.put("claude", "later", "# Later\n\nAn engine.\n")
	s.shows(b, "/at/"+day+"/?q=engine&mode=fts", "Page ", func() {})
}

// shows asks for a screen, each time after before, which is not measured. It reports the
// processor time, which other work of the machine changes less.
func (s *benched) shows(b *testing.B, path, text string, before func()) {
	var cpu time.Duration
	for b.Loop() {
		b.StopTimer()
		before()
		b.StartTimer()
		from := processorTime(b)
		w := s.do(path)
		cpu += processorTime(b) - from
		if w.Code != http.StatusOK || !strings.Contains(w.Body.String(), text) {
			b.Fatalf("%d %s", w.Code, w.Body)
		}
	}
	b.ReportMetric(float64(len(s.do(path).Body.Bytes()))/1000, "KB")
	b.ReportMetric(float64(cpu.Microseconds())/1000/float64(b.N), "cpu-ms/op")
}

// processorTime is that of this process so far.
func processorTime(b *testing.B) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
