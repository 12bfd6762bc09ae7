package httpapi_test

import (
	"bufio"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/cairn-kb/cairn/internal/memory/space"
	"github.com/cairn-kb/cairn/internal/test/apptest"
	"github.com/cairn-kb/cairn/internal/upkeep/gitsync"
	"github.com/cairn-kb/cairn/internal/upkeep/jobs"
)

// listener reads a stream of events, the data of each with its kind and id.
type listener struct {
	t    *testing.T
	in   *bufio.Scanner
	stop context.CancelFunc
}

func (b *testServer) listen(url, last string) *listener {
	b.T.Helper()
	ctx, stop := context.WithTimeout(b.T.Context(), time.Minute)
	r, err := http.NewRequestWithContext(ctx, "GET", url+"/api/v1/events", nil)
	if err != nil {
		b.T.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+token)
	if last != "" {
		r.Header.Set("Last-Event-ID", last)
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		b.T.Fatal(err)
	}
	if answer.Header.Get("Content-Type") != "text/event-stream" {
		b.T.Fatalf("the stream is %d %v", answer.StatusCode, answer.Header)
	}
	l := &listener{b.T, bufio.NewScanner(answer.Body), stop}
	b.T.Cleanup(func() {
		stop()
		_, _ = io.Copy(io.Discard, answer.Body)
		_ = answer.Body.Close()
	})
	l.next() // says that it stands
	return l
}

// next returns the lines of the next event.
func (l *listener) next() string {
	l.t.Helper()
	var lines []string
	for l.in.Scan() && l.in.Text() != "" {
		lines = append(lines, l.in.Text())
	}
	if err := l.in.Err(); err != nil {
		l.t.Fatal(err)
	}
	return strings.Join(lines, "\n")
}

func TestEvents(t *testing.T) {
	t.Parallel()
	b := newServer(t)
	b.must("PUT", "/api/v1/pages/before", `{"text":"x"}`)
	web := httptest.NewServer(b.server)
	t.Cleanup(web.Close)
	l := b.listen(web.URL, "")
	b.must("PUT", "/api/v1/pages/one", `{"text":"x"}`)
	b.must("PUT", "/api/v1/pages/two", `{"text":"x"}`)
	b.ticks <- time.Time{}
	for _, want := range []string{"one", "two"} {
		if got := l.next(); !strings.Contains(got, `"ref":"memory:`+want+`"`) || !strings.Contains(got, "event: change") {
			t.Errorf("the next event is %q, want that of %s", got, want)
		}
	}
	// Nothing new is no event, and after a while a sign of life.
	for range 15 {
		b.ticks <- time.Time{}
	}
	if got := l.next(); got != ":" {
		t.Errorf("the sign of life is %q", got)
	}
	b.must("PUT", "/api/v1/pages/three", `{"text":"x"}`)
	b.ticks <- time.Time{}
	if got := l.next(); !strings.Contains(got, `"ref":"memory:three"`) {
		t.Errorf("the next event is %q, want that of three", got)
	}
	l.stop()

	again := b.listen(web.URL, "1")
	for _, want := range []string{"one", "two", "three"} {
		if got := again.next(); !strings.Contains(got, `"ref":"memory:`+want+`"`) {
			t.Errorf("after coming back the next event is %q, want that of %s", got, want)
		}
	}
	if status, _ := b.do(request("GET", "/api/v1/events", "", "Last-Event-ID", "x")); status != 422 {
		t.Errorf("an id that is none answers %d", status)
	}
}

func TestEventsOfRoutines(t *testing.T) {
	t.Parallel()
	b := newServer(t)
	a := apptest.OK(b.memory.Session(t.Context(), true))(t)
	apptest.OK(gitsync.AddSpace(t.Context(), a, space.AddRequest{Name: "vault", Database: true, Preset: "context"}))(t)
	b.must("PUT", "/api/v1/pages/vault:policies/routines/custom/mine", `{"text":"---\ncron: 0 0 1 1 *\nlast_run: 2020-01-01T00:00:00Z\n---\n# Mine\n"}`)
	web := httptest.NewServer(b.server)
	t.Cleanup(web.Close)
	l := b.listen(web.URL, "")
	announce := func() {
		apptest.OK(jobs.Maintain(t.Context(), a, jobs.MaintainRequest{Jobs: []string{"routines"}, Force: true}))(t)
		b.ticks <- time.Time{}
	}
	announce()
	due := 0
	for l.in.Text() != ":" {
		got := l.next()
		if strings.HasPrefix(got, "event: due\n") {
			due++
			if !strings.Contains(got, `"space":"vault","name":"`) {
				t.Errorf("the event is %q", got)
			}
		}
		if due == 1 { // the others were made just now
			break
		}
	}
	// Nobody is told twice.
	announce()
	b.must("PUT", "/api/v1/pages/vault:state/scratch/one", `{"text":"x"}`)
	b.ticks <- time.Time{}
	if got := l.next(); !strings.Contains(got, "event: change") {
		t.Errorf("the next event is %q, want that of a change", got)
	}
}
