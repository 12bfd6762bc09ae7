package terminal

import (
	"bytes"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestTimeLeft(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		since              time.Duration
		first, done, total int64
		want               string
	}{
		{time.Second, 0, 50, 100, ""}, // too soon to say
		{10 * time.Second, 0, 0, 100, ""},
		{10 * time.Second, 0, 100, 100, ""},
		{10 * time.Second, 0, 3, 0, ""},
		{10 * time.Second, 0, 50, 100, ", about 10 s left"},
		{10 * time.Second, 0, 999, 1000, ", about 1 s left"},
		{10 * time.Second, 0, 1, 31, ", about 5 min left"},
		{time.Minute, 0, 1, 91, ", about 1.5 h left"},
		{10 * time.Second, 8000, 50, 100, ", about 10 s left"}, // begun earlier
	} {
		now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
		if got := (pace{since: now.Add(-tt.since), first: tt.first, last: tt.first + tt.done, total: tt.first + tt.total}).left(now); got != tt.want {
			t.Errorf("%d of %d after %v: %q, want %q", tt.done, tt.total, tt.since, got, tt.want)
		}
	}
}

// A log gets a line now and then, and the time left is that of the phase.
func TestProgressInALog(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	var log bytes.Buffer
	g := NewProgress(ProgressOptions{Note: func(line string) { fmt.Fprintln(&log, line) }, Now: func() time.Time { return now }})
	for i := range 8 {
		g.Report("notes", "indexing", i, 8)
		now = now.Add(time.Second)
	}
	for i := range 5 {
		g.Report("", "embedding", i*10, 100)
		now = now.Add(time.Second)
	}
	g.Stop()
	want := `sync notes: indexing 2 of 8, about 6 s left
sync notes: indexing 4 of 8, about 4 s left
sync notes: indexing 6 of 8, about 2 s left
embedding 0 of 100
embedding 20 of 100, about 8 s left
embedding 40 of 100, about 6 s left
`
	if diff := cmp.Diff(want, log.String()); diff != "" {
		t.Error(diff)
	}
}

// Phases that take turns keep their pace, and a phase that begins again has a
// new one.
func TestProgressOfPhasesThatTakeTurns(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	var log bytes.Buffer
	g := NewProgress(ProgressOptions{Note: func(line string) { fmt.Fprintln(&log, line) }, Now: func() time.Time { return now }})
	for _, step := range []struct {
		phase       string
		done, total int
	}{
		{"pages", 100, 200}, {"pages", 110, 200}, {"chunks", 4, 300}, {"chunks", 104, 300}, {"pages", 120, 200},
		{"chunks", 0, 500}, {"chunks", 100, 500}, {"pages", 130, 200},
	} {
		g.Report("", step.phase, step.done, step.total)
		now = now.Add(10 * time.Second)
	}
	g.Stop()
	want := `pages 110 of 200, about 2 min left
chunks 4 of 300
chunks 104 of 300, about 20 s left
pages 120 of 200, about 3 min left
chunks 0 of 500
chunks 100 of 500, about 40 s left
pages 130 of 200, about 3 min left
`
	if diff := cmp.Diff(want, log.String()); diff != "" {
		t.Error(diff)
	}
}

// Where steps are not equally much work, the time left goes by the work.
func TestTimeLeftGoesByTheWork(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	var log bytes.Buffer
	g := NewProgress(ProgressOptions{Note: func(line string) { fmt.Fprintln(&log, line) }, Now: func() time.Time { return now }})
	for _, step := range []struct {
		done int
		work int64
	}{{0, 0}, {400, 1000}, {500, 2000}} {
		g.Work(step.work, 10_000)
		g.Report("", "embedding", step.done, 600)
		now = now.Add(10 * time.Second)
	}
	g.Stop()
	want := `embedding 400 of 600, about 2 min left
embedding 500 of 600, about 1 min left
`
	if diff := cmp.Diff(want, log.String()); diff != "" {
		t.Error(diff)
	}
}
