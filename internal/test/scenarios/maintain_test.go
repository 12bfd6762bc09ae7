package scenarios_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/files/fsys"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/change"
	"github.com/cairn-kb/cairn/internal/memory/read"
	"github.com/cairn-kb/cairn/internal/memory/space"
	"github.com/cairn-kb/cairn/internal/store"
	"github.com/cairn-kb/cairn/internal/test/apptest"
	"github.com/cairn-kb/cairn/internal/upkeep/doctor"
	"github.com/cairn-kb/cairn/internal/upkeep/gitsync"
	"github.com/cairn-kb/cairn/internal/upkeep/jobs"
	"github.com/cairn-kb/cairn/internal/upkeep/state"
)

// maintained says of each job what became of it.
func maintained(t *testing.T, a *memory.Session, req jobs.MaintainRequest) map[string]api.JobReport {
	t.Helper()
	r := apptest.OK(jobs.Maintain(t.Context(), a, req))(t)
	out := map[string]api.JobReport{}
	for _, j := range r.Items {
		out[j.Job] = j
	}
	if r.Busy || r.Total != len(r.Items) {
		t.Errorf("%+v", r)
	}
	return out
}

func states(all map[string]api.JobReport) map[string]api.JobState {
	out := map[string]api.JobState{}
	for name, j := range all {
		out[name] = j.State
	}
	return out
}

// TestMaintain: what is due is done, once, and what was done is remembered.
func TestMaintain(t *testing.T) {
	t.Parallel()
	b := apptest.New(t)
	clock := b.Clock(time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC), 0)
	root := b.Dir("notes", map[string]string{"a.md": "One.\n", ".cairn/space.toml": "[retention]\nsnapshot_days = 1\nsnapshot_min = 1\n"})
	a := b.Open()
	ctx := context.Background()
	apptest.OK(gitsync.AddSpace(ctx, a, space.AddRequest{Root: root, Accept: true}))(t)
	all := jobs.MaintainRequest{}

	dry := maintained(t, a, jobs.MaintainRequest{DryRun: true})
	if len(dry["sync"].Sync[0].Added) != 1 || dry["sync"].State != api.JobDone {
		t.Errorf("a dry run: %+v", dry)
	}
	if s := apptest.OK(state.Describe(ctx, a))(t); s.Maintained != nil || s.Stats.Pages != 0 {
		t.Errorf("a dry run did something: %+v", s)
	}
	first := map[string]api.JobState{"sync": api.JobDone, "rotate": api.JobWaiting, "commit": api.JobWaiting, "push": api.JobWaiting, "embed": api.JobDone, "staleness": api.JobWaiting, "expire": api.JobWaiting, "compact": api.JobWaiting, "retention": api.JobWaiting, "regions": api.JobWaiting, "merge": api.JobDone, "check": api.JobDone, "routines": api.JobWaiting}
	if diff := cmp.Diff(first, states(maintained(t, a, all))); diff != "" {
		t.Errorf("the first run: %s", diff)
	}
	if s := apptest.OK(state.Describe(ctx, a))(t); s.Maintained == nil || !s.Maintained.Equal(clock.Last()) || s.Stats.Pages != 1 {
		t.Errorf("after the first run: %+v", s)
	}

	// It survives the process.
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	a = b.Open()
	for job, r := range maintained(t, a, all) {
		if job == "rotate" || job == "commit" || job == "push" || job == "regions" || job == "routines" {
			if r.State != api.JobWaiting || r.Next != nil || r.Last != nil {
				t.Errorf("nothing is to be done: %s: %+v", job, r)
			}
			continue
		}
		if r.State != api.JobWaiting || !r.Next.After(clock.Last()) || (r.Last == nil) != (job == "retention" || job == "staleness" || job == "expire" || job == "compact") {
			t.Errorf("right after: %s: %+v", job, r)
		}
	}
	if got := maintained(t, a, jobs.MaintainRequest{Jobs: []string{"merge"}, Force: true}); len(got) != 1 || got["merge"].State != api.JobDone {
		t.Errorf("one job, by force: %+v", got)
	}

	apptest.OK(change.Put(ctx, a, change.PutRequest{Ref: "a", Text: []byte("Two.\n"), Overwrite: true}))(t)
	for range 3 {
		clock.Advance(24 * time.Hour)
		got := maintained(t, a, jobs.MaintainRequest{Beside: true})
		if diff := cmp.Diff(map[string]api.JobState{"rotate": api.JobWaiting, "commit": api.JobWaiting, "push": api.JobWaiting, "staleness": api.JobDone, "expire": api.JobDone, "compact": api.JobDone, "retention": api.JobDone, "regions": api.JobWaiting, "merge": api.JobDone, "check": api.JobWaiting, "routines": api.JobWaiting}, states(got)); diff != "" {
			t.Errorf("beside a server, a day later: %s", diff)
		}
	}
	if err := errOf(read.Get(ctx, a, read.GetRequest{Ref: "a", Version: 1})); kb.CodeOf(err) != kb.NotFound {
		t.Errorf("a text that is not to be kept: %v", err)
	}

	// A clock that is far ahead costs no text, and one that is set right again
	// holds nothing up.
	apptest.OK(change.Put(ctx, a, change.PutRequest{Ref: "a", Text: []byte("Three.\n"), Overwrite: true}))(t)
	right := clock.Last()
	clock.Advance(50 * 365 * 24 * time.Hour)
	if got := maintained(t, a, all); got["retention"].State != api.JobWaiting || got["check"].State != api.JobDone {
		t.Errorf("with the clock ahead: %+v", got)
	}
	apptest.OK(read.Get(ctx, a, read.GetRequest{Ref: "a", Version: 2}))(t)
	clock.Set(right.Add(time.Minute))
	for job, r := range maintained(t, a, all) {
		if job != "rotate" && job != "commit" && job != "push" && job != "regions" && job != "routines" && (r.State != api.JobDone || !strings.Contains(r.Reason, "clock")) {
			t.Errorf("with the clock right again: %s: %+v", job, r)
		}
	}
	apptest.OK(read.Get(ctx, a, read.GetRequest{Ref: "a", Version: 2}))(t)

	if _, err := jobs.Maintain(ctx, a, jobs.MaintainRequest{Jobs: []string{"sing"}}); kb.CodeOf(err) != kb.Usage {
		t.Errorf("a job that there is not: %v", err)
	}
}

// A job that fails keeps no other from being done, a space none of the others,
// and is tried again.
func TestMaintainGoesOnBesideTrouble(t *testing.T) {
	t.Parallel()
	b := apptest.New(t)
	clock := b.Clock(time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC), 0)
	a := b.Open()
	ctx := context.Background()
	for _, name := range []string{"away", "there"} {
		apptest.OK(gitsync.AddSpace(ctx, a, space.AddRequest{Root: b.Dir(name, map[string]string{"a.md": "A page.\n"})}))(t)
	}
	away := filepath.Join(b.Home, "away")
	if err := os.Rename(away, away+".moved"); err != nil {
		t.Fatal(err)
	}
	got := maintained(t, a, jobs.MaintainRequest{})
	r := got["sync"]
	if r.State != api.JobFailed || len(r.Failures) != 1 || !strings.HasPrefix(r.Failures[0].Message, "away: ") || r.Failures[0].Hint == "" {
		t.Errorf("sync: %+v", r)
	}
	if len(r.Sync) != 1 || len(r.Sync[0].Added) != 1 || got["embed"].State != api.JobDone || got["check"].State != api.JobDone {
		t.Errorf("the others: %+v", got)
	}
	find := func() api.Check {
		for _, c := range apptest.OK(doctor.Doctor(ctx, a, false))(t) {
			if c.Name == "maintenance" {
				return c
			}
		}
		return api.Check{}
	}
	if c := find(); c.State != "warning" || len(c.Items) != 1 || !strings.Contains(c.Items[0], "away") {
		t.Errorf("doctor: %+v", c)
	}
	if err := os.Rename(away+".moved", away); err != nil {
		t.Fatal(err)
	}
	clock.Set(*r.Next)
	if r := maintained(t, a, jobs.MaintainRequest{})["sync"]; r.State != api.JobDone || len(r.Sync) != 2 {
		t.Errorf("sync, again: %+v", r)
	}
	if c := find(); c.State != "ok" || !strings.Contains(c.Reason, "2026-03-01T09:01:00Z") {
		t.Errorf("doctor: %+v", c)
	}
}

// Of two processes one does it, and the other says so.
func TestMaintainTakesTurns(t *testing.T) {
	t.Parallel()
	b := apptest.New(t)
	a := b.Open()
	ctx := context.Background()
	unlock, err := fsys.Lock(ctx, apptest.OK(state.Describe(ctx, a))(t).Database+".locks/maintain.lock", time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	if r := apptest.OK(jobs.Maintain(ctx, a, jobs.MaintainRequest{Force: true}))(t); !r.Busy || len(r.Items) != 0 {
		t.Errorf("while another is at it: %+v", r)
	}
	if r := apptest.OK(jobs.Maintain(ctx, a, jobs.MaintainRequest{DryRun: true}))(t); r.Busy || len(r.Items) != len(jobs.JobNames()) {
		t.Errorf("a dry run: %+v", r)
	}
	if err := unlock(); err != nil {
		t.Fatal(err)
	}
	if r := apptest.OK(jobs.Maintain(ctx, a, jobs.MaintainRequest{Force: true}))(t); r.Busy || len(r.Items) != len(jobs.JobNames()) {
		t.Errorf("after that: %+v", r)
	}
}

// What was stopped is begun again the next time, and counts as no failure.
func TestMaintainIsStopped(t *testing.T) {
	t.Parallel()
	b := apptest.New(t)
	a := b.Open()
	ctx, stop := context.WithCancel(context.Background())
	apptest.OK(gitsync.AddSpace(ctx, a, space.AddRequest{Root: b.Dir("notes", map[string]string{"a.md": "A page.\n"})}))(t)
	r, err := jobs.Maintain(ctx, a, jobs.MaintainRequest{Progress: func(string, string, int, int) { stop() }})
	if err == nil || len(r.Items) != 0 {
		t.Errorf("stopped: %+v, %v", r, err)
	}
	if s := apptest.OK(state.Describe(context.Background(), a))(t); s.Maintained != nil {
		t.Errorf("what was stopped is remembered: %+v", s)
	}
	if got := maintained(t, a, jobs.MaintainRequest{}); got["sync"].State != api.JobDone || got["check"].State != api.JobDone {
		t.Errorf("begun again: %+v", got)
	}
}

// Losing what is remembered, or finding it damaged, loses nothing.
func TestMaintainWithoutMemoryOfIt(t *testing.T) {
	t.Parallel()
	b := apptest.New(t)
	a := b.Open()
	maintained(t, a, jobs.MaintainRequest{})
	for _, text := range []string{"", "{", `{"at":"yesterday"}`, `{"at":7}`} {
		b.Plant(func(tx store.Tx) error { return tx.Settings().Set(context.Background(), "maintain.check", text) })
		if got := maintained(t, a, jobs.MaintainRequest{}); got["check"].State != api.JobDone || got["merge"].State != api.JobWaiting {
			t.Errorf("%s: %+v", text, got)
		}
	}
}
