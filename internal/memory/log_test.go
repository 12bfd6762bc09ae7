package memory

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/kb"
)

// Of each space the last hundred events are kept, and everything is counted.
func TestLog(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 26, 8, 0, 0, 0, time.UTC)
	l := &Log{Now: func() time.Time { now = now.Add(time.Second); return now }}
	if l.Of("a") != nil {
		t.Error("something was synced before the first sync")
	}
	l.Note(kb.Space{ID: "a", Name: "A"}, api.SyncReport{Unchanged: 3}, nil)
	since := now
	for i := range 60 {
		l.Note(kb.Space{ID: "a", Name: "A"}, api.SyncReport{Added: []string{fmt.Sprint(i)}, Moved: []api.Moved{{From: "x", To: "y"}}}, nil)
	}
	l.Note(kb.Space{ID: "b", Name: "B"}, api.SyncReport{Deleted: []string{"secret-name"}, Failed: []api.Skipped{{Path: "bad.md"}}}, nil)
	l.Note(kb.Space{ID: "b", Name: "B"}, api.SyncReport{}, errors.New("gone"))
	l.Note(kb.Space{ID: "b", Name: "B"}, api.SyncReport{DryRun: true, Added: []string{"not"}}, nil)
	a, b := l.Of("a"), l.Of("b")
	if a.Files != 120 || a.Errors != 0 || len(a.Events) != keptEvents || !a.Since.Equal(since) || a.Events[0].Change != "moved" || a.Events[0].From != "x" || a.Events[1].Path != "59" {
		t.Errorf("of the first: %d files, %d errors, %d events since %v: %+v", a.Files, a.Errors, len(a.Events), a.Since, a.Events[:2])
	}
	if b.Files != 1 || b.Errors != 2 || len(b.Events) != 3 || b.Events[0] != (api.FileEvent{At: b.Events[0].At, Change: "failed", Space: "B"}) {
		t.Errorf("of the second: %+v", b)
	}
	all := l.All()
	if all.Files != 121 || all.Errors != 2 || len(all.Events) != keptEvents || !all.Since.Equal(since) || all.Events[0].Change != "failed" {
		t.Errorf("of all: %+v", all)
	}
	if e := all.Events[2]; e.Change != "deleted" || e.Space != "B" || e.Path != "secret-name" || all.Events[3].Space != "A" {
		t.Errorf("of all: %+v", all.Events[:4])
	}
	var none *Log
	none.Note(kb.Space{ID: "a"}, api.SyncReport{}, nil)
	if none.Of("a") != nil {
		t.Error("without a log there is something")
	}
}
