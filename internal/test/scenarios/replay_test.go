package scenarios_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/brief"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/knowledge/ageing"
	"github.com/cairn-kb/cairn/internal/knowledge/compact"
	"github.com/cairn-kb/cairn/internal/knowledge/ingest"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/read"
	"github.com/cairn-kb/cairn/internal/memory/retrieve"
	"github.com/cairn-kb/cairn/internal/memory/space"
	"github.com/cairn-kb/cairn/internal/search/embed/bge"
	"github.com/cairn-kb/cairn/internal/test/apptest"
	"github.com/cairn-kb/cairn/internal/upkeep/gitsync"
	"github.com/cairn-kb/cairn/internal/upkeep/jobs"
)

// ofAge is a reason whose days depend on when a pass was made.
var ofAge = regexp.MustCompile(`age \(\d+ days\)`)

// replayed is what an agent asks every two weeks: whatever answers is in use.
var replayed = []struct{ project, question, answer string }{
	{"client", "Who is the budget owner at Client X?", "contact"},
	{"client", "Which SaaS tools does Client X allow?", "saas"},
	{"shop", "Why did we decide against Klarna?", "klarna"},
	{"infra", "How fast does Postgres fail over?", "postgres"},
	{"infra", "How long are backups kept?", "backup-1"}, // until another takes its place
}

// replay captures for 90 days, with a session a week in each project, and returns what
// each brief says at the end. With a server, maintenance runs every day; without one,
// nothing runs but what is asked.
func replay(t *testing.T, server bool) (a *memory.Session, refs map[string]string) {
	t.Helper()
	b := apptest.New(t)
	start := time.Date(2026, 8, 31, 9, 0, 0, 0, time.UTC)
	clock := b.Clock(start, time.Second)
	a, refs = b.Open(), map[string]string{}
	agent := func(project string) *memory.Session {
		return a.In(project).As(kb.Actor{Kind: kb.Agent, Name: "claude"})
	}
	projects := []string{"client", "infra", "shop"}
	for _, name := range projects {
		apptest.OK(gitsync.AddSpace(t.Context(), a, space.AddRequest{Name: name, Preset: "capture", Database: true}))(t)
	}
	facts := capturedFacts(t)
	for day := 1; day <= 90; day++ {
		clock.Set(start.AddDate(0, 0, day-1))
		if server {
			apptest.OK(jobs.Maintain(t.Context(), a, jobs.MaintainRequest{Jobs: []string{"staleness", "compact"}}))(t)
		}
		for _, f := range facts {
			if f.day != day {
				continue
			}
			req := api.CaptureRequest{Text: f.text}
			if f.replaces != "" {
				req.Supersedes = []string{refs[f.replaces]}
			}
			refs[f.key] = apptest.OK(ingest.Capture(t.Context(), agent(f.project), req))(t).Ref
		}
		if day%7 == 0 {
			for _, name := range projects {
				apptest.OK(brief.PrimeSession(t.Context(), a.In(name), brief.PrimeRequest{}))(t)
			}
		}
		if day%14 == 0 {
			for _, q := range replayed {
				apptest.OK(read.Query(t.Context(), agent(q.project), retrieve.QueryRequest{SearchRequest: retrieve.SearchRequest{Query: q.question, Mode: api.ModeWords}}))(t)
			}
		}
	}
	return a, refs
}

// In 90 days with 30 captures of three projects, with and without a server, no brief
// says what does not hold any more, and none leaves out what does.
func TestReplay(t *testing.T) {
	t.Parallel()
	if !bge.Available() {
		t.Skip("this build has no embedding model (tag slim)")
	}
	facts := capturedFacts(t)
	var said []string
	for _, server := range []bool{true, false} {
		a, refs := replay(t, server)
		var out strings.Builder
		for _, project := range []string{"client", "infra", "shop"} {
			b := apptest.OK(brief.ComposeContext(t.Context(), a.In(project), brief.GistRequest{}))(t)
			fmt.Fprintf(&out, "# %s\n\n", project)
			active, alerts := map[string]string{}, map[string]string{}
			var lines []string
			for _, n := range b.ActiveNodes {
				active[n.Ref] = n.Summary
				lines = append(lines, "known: "+n.Summary)
			}
			for _, s := range b.StaleAlerts {
				alerts[s.Ref] = s.Reason
				lines = append(lines, "stale: "+s.Title+" ("+ofAge.ReplaceAllString(s.Reason, "age")+")")
			}
			slices.Sort(lines)
			out.WriteString(strings.Join(lines, "\n") + "\n\n")
			replaced, used := map[string]bool{}, map[string]bool{}
			for _, f := range facts {
				replaced[f.replaces] = true
			}
			for _, q := range replayed {
				used[q.answer] = true
			}
			for _, f := range facts {
				ref := refs[f.key]
				text, known := active[ref]
				reason, stale := alerts[ref]
				switch whole := strings.TrimSuffix(f.text, "."); {
				case f.project != project:
				case replaced[f.key] && (known || stale && !strings.HasPrefix(reason, "superseded by ")):
					t.Errorf("server %v: %s tells %q, which does not hold", server, project, f.text)
				case !replaced[f.key] && !known && !stale:
					t.Errorf("server %v: %s does not tell %q", server, project, f.text)
				case !replaced[f.key] && known && text != whole && text != whole[:strings.Index(whole+". ", ". ")]:
					t.Errorf("server %v: %s tells %q, not %q", server, project, text, f.text)
				case !replaced[f.key] && (used[f.key] || f.day > 30) && !known:
					t.Errorf("server %v: %s calls %q stale (%s), which is in use or new", server, project, f.text, reason)
				}
			}
			for _, c := range apptest.OK(compact.Compact(t.Context(), a.In(project), compact.Request{WriteOptions: api.WriteOptions{DryRun: true}}))(t).Clusters {
				fmt.Fprintf(&out, "compacted: %s\n\n%s\n\n", c.Title, c.Text)
			}
		}
		if n := apptest.OK(ageing.Stale(t.Context(), a, ageing.StaleRequest{All: true, Pass: true}))(t).Total; n == 0 {
			t.Errorf("server %v: nothing aged", server)
		}
		said = append(said, out.String())
	}
	if diff := cmp.Diff(said[0], said[1]); diff != "" {
		t.Errorf("without a server (+) briefs say something else: %s", diff)
	}
	golden := filepath.Join("testdata", "replay.golden")
	if *update {
		if err := os.WriteFile(golden, []byte(said[0]), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), said[0]); diff != "" {
		t.Error(diff)
	}
}
