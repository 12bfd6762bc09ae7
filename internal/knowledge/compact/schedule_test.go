package compact_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory/history"
	"github.com/cairn-kb/cairn/internal/test/apptest"
	"github.com/cairn-kb/cairn/internal/upkeep/jobs"
)

// The schedule compacts a space as often as its policy says, and not at all where it
// does not say.
func TestSchedule(t *testing.T) {
	t.Parallel()
	for _, ext := range []string{".md", ".org"} {
		b := newBed(t, "directory", ext)
		clock := b.Clock(time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC), time.Millisecond)
		b.app = b.Open()
		b.cluster()
		job := func() api.JobReport {
			t.Helper()
			clock.Advance(24 * time.Hour)
			r := apptest.OK(jobs.Maintain(t.Context(), b.app, jobs.MaintainRequest{Jobs: []string{"compact"}}))(t).Items[0]
			if len(r.Failures) > 0 {
				t.Errorf("%+v", r.Failures)
			}
			return r
		}
		if r := job(); r.State != api.JobWaiting {
			t.Errorf("the first look: %+v", r) // the clock may be wrong
		}
		if r := job(); r.State != api.JobDone || len(r.Compacted) != 0 {
			t.Errorf("a space that does not say how often: %+v", r)
		}
		policy := filepath.Join(b.root, ".cairn", "space.toml")
		text := apptest.OK(os.ReadFile(policy))(t)
		if err := os.WriteFile(policy, append(text, "\n[compact]\nevery = 10\n"...), 0o644); err != nil {
			t.Fatal(err)
		}
		if r := job(); len(r.Compacted) != 0 {
			t.Fatalf("a policy that nobody accepted: %+v", r)
		}
		apptest.Accept(t, b.app, "k")
		r := job()
		if len(r.Compacted) != 1 || r.Compacted[0].State != "compacted" || r.Did != "1 cluster" {
			t.Fatalf("%+v", r)
		}
		history := apptest.OK(history.List(t.Context(), b.app, history.ListRequest{Ref: r.Compacted[0].Summary}))(t).Items
		if len(history) != 1 || history[0].Actor != string(kb.Schedule) || history[0].Op != "compact" {
			t.Errorf("%+v", history)
		}
		b.put("One", "stale", "Rain falls on the plain in the spring, which is wet.\n\n- related [[Two]]\n- related [[Three]]")
		b.put("Two", "stale", "Snow lies on the hill in the winter, which is cold.")
		b.put("Three", "stale", "Wind blows over the sea in autumn, which is loud.")
		for day := 1; ; day++ {
			if r := job(); len(r.Compacted) == 1 {
				if day != 10 || !slices.Contains(r.Compacted[0].Members, "k:two") {
					t.Errorf("after %d days: %+v", day, r.Compacted)
				}
				break
			}
			if day > 20 {
				t.Fatal("it is never due again")
			}
		}
	}
}
