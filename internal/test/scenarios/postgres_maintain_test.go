package scenarios_test

import (
	"sync"
	"testing"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/space"
	"github.com/cairn-kb/cairn/internal/store/postgres/pgtest"
	"github.com/cairn-kb/cairn/internal/test/apptest"
	"github.com/cairn-kb/cairn/internal/upkeep/jobs"
)

// Four servers of one memory look for due jobs at the same time, and again: each job is done
// once.
func TestMaintenanceOfSeveralServers(t *testing.T) {
	t.Parallel()
	ctx, where := t.Context(), pgtest.URL(t)
	var servers []*memory.Session
	for range 4 {
		b := apptest.New(t)
		b.Opts.Place.DB = where
		servers = append(servers, b.Open())
	}
	apptest.OK(servers[0].Spaces.Add(ctx, space.AddRequest{Name: "notes", Database: true}))(t)
	var mu sync.Mutex
	done, busy := map[string]int{}, 0
	for range 3 {
		var all sync.WaitGroup
		for _, s := range servers {
			all.Go(func() {
				r, err := jobs.Maintain(ctx, s, jobs.MaintainRequest{})
				if err != nil {
					t.Error(err)
				}
				mu.Lock()
				defer mu.Unlock()
				if r.Busy {
					busy++
				}
				for _, j := range r.Items {
					if j.State == api.JobDone {
						done[j.Job]++
					}
					for _, f := range j.Failures {
						t.Errorf("%s: %s", j.Job, f.Message)
					}
				}
			})
		}
		all.Wait()
	}
	if len(done) == 0 {
		t.Error("no job was due")
	}
	for job, n := range done {
		if n != 1 {
			t.Errorf("%s was done %d times", job, n)
		}
	}
	if busy == 12 {
		t.Error("nobody did the jobs")
	}
}
