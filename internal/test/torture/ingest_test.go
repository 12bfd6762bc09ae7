package torture

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory/read"
	"github.com/cairn-kb/cairn/internal/memory/retrieve"
	"github.com/cairn-kb/cairn/internal/test/apptest"
	"github.com/cairn-kb/cairn/internal/test/slowtest"
	"github.com/cairn-kb/cairn/internal/upkeep/doctor"
	"github.com/cairn-kb/cairn/internal/upkeep/gitsync"
)

// TestKilledIngest kills a process that ingests a source with a plan of twenty pages, at
// random moments: all of the pages have what the source says, and the source is kept, or
// nothing of it is there. Done again it is there once.
func TestKilledIngest(t *testing.T) {
	// Serial: it measures time.
	slowtest.Skip(t, "imports of a plan are killed")
	const pages = 20
	rng := rand.New(rand.NewPCG(*seed, 1))
	home := newHome(t, nil)
	a := open(t, home)
	text := func(space, name string) string {
		got, err := read.Get(t.Context(), a, read.GetRequest{Ref: space + ":" + name})
		if err != nil && kb.CodeOf(err) != kb.NotFound {
			t.Fatal(err)
		}
		return string(got.Text)
	}
	cut := 0
	for _, space := range []string{"notes", "mem"} {
		took := 400 * time.Millisecond
		for round := range 1 + killRounds() {
			says := fmt.Sprintf("Round %d.", round)
			source := filepath.Join(home, fmt.Sprintf("s%d.txt", round))
			writeFile(t, source, "What was said in "+says+"\n")
			plan := make([]map[string]any, pages)
			for i := range plan {
				plan[i] = map[string]any{
					"slug":             fmt.Sprintf("p%d", i),
					"timeline_entries": []map[string]string{{"date": "2026-01-02", "summary": says}},
				}
				if round == 0 {
					plan[i]["content"] = fmt.Sprintf("# P%d\n\nBegins.\n", i)
				}
			}
			file := filepath.Join(home, "plan.json")
			writeFile(t, file, string(apptest.OK(json.Marshal(plan))(t)))
			ingest := []string{"ingest", source, "--pages", file, "--space", space, "--ref", says}
			have := func() (n int) {
				for i := range pages {
					switch got := strings.Count(text(space, fmt.Sprintf("p%d", i)), says); got {
					case 0:
					case 1:
						n++
					default:
						t.Errorf("round %d: %s:p%d says it %d times", round, space, i, got)
					}
				}
				return n
			}
			if round > 0 {
				cmd := newCommands(t, home, "k").command(ingest...)
				if err := cmd.Start(); err != nil {
					t.Fatal(err)
				}
				end := time.AfterFunc(time.Duration(rng.Int64N(int64(took))), func() { _ = cmd.Process.Kill() }) // it may have ended
				_ = cmd.Wait()                                                                                   // killed, so mostly an error
				end.Stop()
				apptest.OK(gitsync.Sync(t.Context(), a, gitsync.SyncRequest{Space: "notes"}))(t)
				n := have()
				if n != 0 && n != pages {
					t.Fatalf("round %d: %d of %d pages in %s have what was ingested", round, n, pages, space)
				}
				sources := apptest.OK(read.Search(t.Context(), a, retrieve.SearchRequest{Query: "path:sources/ space:" + space}))(t).Total
				if want := round + n/pages; sources != want {
					t.Errorf("round %d: %d pages in %s have what was ingested, and of its sources %d are kept, not %d", round, n, space, sources, want)
				}
				if n == 0 {
					cut++
				}
			}
			before := time.Now()
			var out struct{}
			if err := newCommands(t, home, "k").run(nil, &out, ingest...); err != nil {
				t.Fatal(err)
			}
			took = time.Since(before)
			if n := have(); n != pages {
				t.Errorf("round %d: %d pages in %s have what was ingested again", round, n, space)
			}
		}
	}
	if cut == 0 && killRounds() >= 5 {
		t.Error("no process was killed before it had written: nothing was shown")
	}
	for _, c := range apptest.OK(doctor.Validate(t.Context(), a, true))(t) {
		if c.State != "ok" {
			t.Errorf("%s: %s %v", c.Name, c.Reason, c.Items)
		}
	}
}
