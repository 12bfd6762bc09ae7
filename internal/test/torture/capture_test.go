package torture

import (
	"fmt"
	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/memory/space"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/cairn-kb/cairn/internal/calendar/presets"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/knowledge/ageing"
	"github.com/cairn-kb/cairn/internal/knowledge/ingest"
	"github.com/cairn-kb/cairn/internal/memory/change"
	"github.com/cairn-kb/cairn/internal/memory/read"
	"github.com/cairn-kb/cairn/internal/memory/retrieve"
	"github.com/cairn-kb/cairn/internal/test/apptest"
	"github.com/cairn-kb/cairn/internal/test/slowtest"
)

// ages is the policy of a space whose pages age, and whose relations act.
const ages = `
[capture]
auto_tags = true
record = true

[lifecycle]
stale_after = 60
unlinked_after = 30
effects = { supersedes = "stale", contradicts = "conflict" }
transitions = { active = ["stale"], stale = ["active", "compacted"] }
`

// Eight processes capture while others make passes over the same pages: every capture
// is stored once, what it replaces is stale, no text is lost, and when all is done
// another pass has nothing to do.
func TestProcessesCaptureDuringPasses(t *testing.T) {
	slowtest.NoRace(t, "the work is done by binaries without the detector")
	t.Parallel()
	const processes, each = 8, 2
	for _, name := range []string{"notes", "mem"} {
		t.Run(name, func(t *testing.T) {
			home := newHome(t, nil)
			writeFile(t, filepath.Join(root(home), ".cairn", "space.toml"), "name = \"notes\"\n"+ages)
			a := open(t, home).In(name)
			apptest.Accept(t, a, "notes")
			if name == "mem" {
				apptest.OK(presets.Rewrite(t.Context(), asPerson(a), space.RewriteRequest{Name: name, Text: []byte(ages)}))(t)
			}
			old := func(i int) string { return fmt.Sprintf("old/%d", i) }
			aged := func(i int) string { return fmt.Sprintf("aged/%d", i) } // which nothing replaces
			for i := range processes * each {
				apptest.OK(change.Put(t.Context(), a, change.PutRequest{Ref: name + ":" + old(i) + ".md", Text: fmt.Appendf(nil, "What %d was.\n", i)}))(t)
				apptest.OK(change.Put(t.Context(), a, change.PutRequest{Ref: name + ":" + aged(i) + ".md", Text: fmt.Appendf(nil, "---\ncreated: 2020-01-02\nupdated: 2020-01-02\n---\nWhat %d had.\n", i)}))(t)
			}

			c := newCommands(t, home, "capturer")
			c.env = []string{"CAIRN_EMBED=off"} // which would take most of the time
			var all, passes sync.WaitGroup
			done := make(chan struct{})
			passes.Go(func() {
				for n := 0; ; n++ {
					var p api.AgeingPass
					if err := c.run(nil, &p, "stale", "--apply", "--space", name); err != nil {
						t.Errorf("pass %d: %v", n, err)
					}
					select {
					case <-done:
						return
					default:
					}
				}
			})
			refs := make([]string, processes*each)
			for i := range processes {
				all.Go(func() {
					for j := range each {
						n := i*each + j
						var r ingest.CaptureAnswer
						if err := c.run(nil, &r, "capture", "--space", name, "--supersedes", name+":"+old(n), fmt.Sprintf("Fact %d is what holds now.", n)); err != nil {
							t.Errorf("capture %d: %v", n, err)
							continue
						}
						refs[n] = r.Ref
					}
				})
			}
			all.Wait()
			close(done)
			passes.Wait()

			apptest.OK(ageing.Pass(t.Context(), a, ageing.PassRequest{Anyway: true}))(t)
			if again := apptest.OK(ageing.Pass(t.Context(), a, ageing.PassRequest{Anyway: true}))(t); len(again.Spaces) != 1 || again.Spaces[0].Write != 0 {
				t.Errorf("another pass wrote %+v", again)
			}
			if n := apptest.OK(retrieve.Pages(t.Context(), a, retrieve.ListRequest{}))(t).Total; n != 3*processes*each {
				t.Errorf("%d pages", n)
			}
			stale := apptest.OK(ageing.Stale(t.Context(), a, ageing.StaleRequest{}))(t).Items
			for i, ref := range refs {
				for page, want := range map[string][2]string{
					old(i):  {fmt.Sprintf("\nWhat %d was.\n", i), "superseded by " + strings.TrimPrefix(ref, name+":")},
					aged(i): {fmt.Sprintf("\nWhat %d had.\n", i), "age ("},
				} {
					was := apptest.OK(read.Get(t.Context(), a, read.GetRequest{Ref: name + ":" + page}))(t)
					if was.Status != kb.Stale || !strings.HasSuffix(was.Text, want[0]) {
						t.Errorf("%s is %s: %s", was.Ref, was.Status, was.Text)
					}
					reason := ""
					if at := slices.IndexFunc(stale, func(s api.StalePage) bool { return s.Ref == was.Ref }); at >= 0 {
						reason = stale[at].Reason
					}
					if !strings.HasPrefix(reason, want[1]) {
						t.Errorf("%s is stale, since %q", was.Ref, reason)
					}
				}
				now := apptest.OK(read.Get(t.Context(), a, read.GetRequest{Ref: ref}))(t)
				if now.Status != kb.Active || !strings.Contains(now.Text, fmt.Sprintf("\nFact %d is what holds now.\n", i)) || !strings.Contains(now.Text, "\n- supersedes [[") {
					t.Errorf("%s is %s: %s", ref, now.Status, now.Text)
				}
			}
		})
	}
}
