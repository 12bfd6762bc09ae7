package compact_test

import (
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
	"github.com/cairn-kb/cairn/internal/memory/history"
	"github.com/cairn-kb/cairn/internal/memory/space"
	"github.com/cairn-kb/cairn/internal/test/apptest"
	"github.com/cairn-kb/cairn/internal/upkeep/gitsync"
)

// aged is a space of three related captures that no schedule made stale in 70 days, and
// of one that was made today.
func aged(t *testing.T) (b *apptest.Bed, a *memory.Session) {
	b = apptest.New(t)
	clock := b.Clock(time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC), time.Second)
	b.Opts.Space = "k"
	a = b.Open()
	apptest.OK(gitsync.AddSpace(t.Context(), a, space.AddRequest{Name: "k", Database: true, Preset: "capture"}))(t)
	capture := func(title, text string) {
		apptest.OK(ingest.Capture(t.Context(), a, api.CaptureRequest{Text: text, Title: title, Keep: true}))(t)
	}
	capture("Alpha", "Alpha costs 5 EUR.\n\n- related [[Beta]]\n- related [[Gamma]]")
	capture("Beta", "Beta costs 6 EUR.")
	capture("Gamma", "Gamma costs 7 EUR.")
	clock.Advance(70 * 24 * time.Hour)
	capture("Today", "Delta costs 8 EUR.")
	return b, a
}

// writes is the number of writes that there were.
func writes(t *testing.T, a *memory.Session) int {
	t.Helper()
	return apptest.OK(history.Recent(t.Context(), a, history.RecentRequest{Since: "2000-01-01"}))(t).Total
}

func stale(t *testing.T, a *memory.Session) (out []string) {
	t.Helper()
	for _, s := range apptest.OK(ageing.Stale(t.Context(), a, ageing.StaleRequest{Pass: true}))(t).Items {
		out = append(out, s.Ref+" "+s.StaleSince+" "+s.Reason)
	}
	return out
}

// What lists, tells or compacts stale pages makes the pass first, although no schedule
// runs: for a person it is written, for an agent that reads it is only told.
func TestAPassComesFirst(t *testing.T) {
	t.Parallel()
	want := []string{"k:alpha 2026-05-11 age (70 days)", "k:beta 2026-05-11 age (70 days)", "k:gamma 2026-05-11 age (70 days)"}
	told := func(t *testing.T, a *memory.Session) (active, alerts []string) {
		b := apptest.OK(brief.ComposeContext(t.Context(), a, brief.GistRequest{}))(t)
		for _, n := range b.ActiveNodes {
			active = append(active, n.Ref)
		}
		for _, s := range b.StaleAlerts {
			alerts = append(alerts, s.Ref+" "+s.StaleSince+" "+s.Reason)
		}
		slices.Sort(alerts)
		return active, alerts
	}
	agent := func(a *memory.Session) *memory.Session { return a.As(kb.Actor{Kind: kb.Agent, Name: "x"}) }
	readOnly := func(a *memory.Session) *memory.Session { out := *a; out.ReadOnly = true; return &out }
	for name, tc := range map[string]struct {
		as     func(*memory.Session) *memory.Session
		writes int
	}{
		"a person": {func(a *memory.Session) *memory.Session { return a }, 1}, "an agent": {agent, 0}, "read only": {readOnly, 0},
	} {
		for what, check := range map[string]func(*testing.T, *memory.Session){
			"stale": func(t *testing.T, a *memory.Session) {
				if diff := cmp.Diff(want, stale(t, a)); diff != "" {
					t.Error(diff)
				}
			},
			"context": func(t *testing.T, a *memory.Session) {
				active, alerts := told(t, a)
				if diff := cmp.Diff([]string{"k:today"}, active) + cmp.Diff(want, alerts); diff != "" {
					t.Error(diff)
				}
			},
			"prime": func(t *testing.T, a *memory.Session) {
				p := apptest.OK(brief.PrimeSession(t.Context(), a, brief.PrimeRequest{}))(t)
				known, rest, _ := strings.Cut(p.Text, "Stale, check")
				if p.Stale != 3 || strings.Contains(known[strings.Index(known, "Known here"):], "alpha") || !strings.Contains(rest, "`k:alpha`: Alpha, 2026-05-11 age (70 days)") {
					t.Errorf("%d stale: %s", p.Stale, p.Text)
				}
			},
			"plan": func(t *testing.T, a *memory.Session) {
				plan := apptest.OK(compact.MakePlan(t.Context(), a, compact.PlanRequest{}))(t)
				if len(plan.Clusters) != 1 || plan.Stale != 3 || plan.Clusters[0].Members[0].Reason != "age (70 days)" {
					t.Errorf("%+v", plan)
				}
			},
		} {
			t.Run(name+" "+what, func(t *testing.T) {
				t.Parallel()
				_, a := aged(t)
				before := writes(t, a)
				check(t, tc.as(a))
				check(t, tc.as(a))
				if n := writes(t, a) - before; n != tc.writes*3 && n != tc.writes { // one write, of three pages
					t.Errorf("%d pages were written", n)
				}
			})
		}
	}
}

// A dry run shows the cluster and writes nothing; an agent's compaction makes the pass,
// and a plan that it made before stays one of the same pages.
func TestCompactAfterTheSchedule(t *testing.T) {
	t.Parallel()
	_, a := aged(t)
	before := writes(t, a)
	dry := apptest.OK(compact.Compact(t.Context(), a, compact.Request{WriteOptions: api.WriteOptions{DryRun: true}}))(t)
	if len(dry.Clusters) != 1 || dry.Clusters[0].State != api.ClusterCompacted || writes(t, a) != before {
		t.Fatalf("%+v", dry)
	}
	agent := a.As(kb.Actor{Kind: kb.Agent, Name: "x"})
	plan := apptest.OK(compact.MakePlan(t.Context(), agent, compact.PlanRequest{}))(t)
	plan.Clusters[0].Title, plan.Clusters[0].Summary = "Prices", "Alpha is 5, Beta 6, Gamma 7."
	for _, dry := range []bool{true, false} {
		done := apptest.OK(compact.Compact(t.Context(), agent, compact.Request{Plan: &plan, WriteOptions: api.WriteOptions{DryRun: dry}}))(t)
		if len(done.Clusters) != 1 || done.Clusters[0].State != api.ClusterCompacted || !dry && done.Clusters[0].Summary != "k:prices" {
			t.Errorf("dry %v: %+v", dry, done)
		}
	}
	if got := stale(t, a); len(got) > 0 {
		t.Errorf("%q", got)
	}
}
