package brief_test

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/brief"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/knowledge/gap"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/change"
	"github.com/cairn-kb/cairn/internal/memory/links"
	"github.com/cairn-kb/cairn/internal/memory/space"
	"github.com/cairn-kb/cairn/internal/test/apptest"
	"github.com/cairn-kb/cairn/internal/upkeep/gitsync"
)

var update = flag.Bool("update", false, "write golden files instead of comparing with them")

// bed is a memory of one space with a clock that a test sets.
type bed struct {
	*memory.Session
	t     *testing.T
	clock *apptest.Clock
}

func newBed(t *testing.T, preset string) *bed {
	home := apptest.New(t)
	clock := home.Clock(at("2026-11-20 08:00"), 0)
	b := &bed{Session: home.Open(), t: t, clock: clock}
	apptest.OK(gitsync.AddSpace(t.Context(), b.Session, space.AddRequest{Name: "m", Preset: preset, Database: true}))(t)
	return b
}

func at(text string) time.Time {
	t, err := time.Parse("2006-01-02 15:04", text)
	if err != nil {
		panic(err)
	}
	return t
}

func (b *bed) put(slug, text string) {
	b.t.Helper()
	apptest.OK(change.Put(b.t.Context(), b.Session, change.PutRequest{Ref: slug, Text: []byte(text), Overwrite: true}))(b.t)
}

// state are pages as they were on Friday.
var state = map[string]string{
	"people/ada": "---\nscore: 5\n---\n# Ada\n\n> Wrote the first program.\n\n- works_at [[Engine]] @2020..\n- lives_in [[London]] @2019..\n",
	"people/bob": "---\nscore: 2\n---\n# Bob\n\n> Knows Ada.\n",
	"people/cyd": "---\nscore: 4\n---\n# Cyd\n\n- works_at [[Engine]]\n- works_at [[Weaver]]\n",

	"companies/engine": "# Engine\n",
	"companies/weaver": "# Weaver\n",

	"deals/loom":   "---\nstatus: open\n---\n# Loom seed\n\n> Two million.\n",
	"deals/old":    "---\nstatus: closed\n---\n# Old deal\n",
	"deals/tagged": "---\ntags: [active]\nstatus: talks\n---\n# Tagged deal\n",

	"commitments/report": "---\nstatus: open\ndue: 2026-11-20\nowner: Ada\n---\n# The report\n\n> Ada sends the report.\n",
	"commitments/review": "---\nstatus: open\ndue: 2026-11-30\n---\n# The review\n",
	"commitments/later":  "---\nstatus: open\ndue: 2026-12-01\n---\n# Not yet\n",
	"commitments/kept":   "---\nstatus: done\ndue: 2026-11-21\n---\n# Kept\n",
	"commitments/month":  "---\nstatus: open\ndue: 2026-11\n---\n# Some day this month\n",

	"actions/low":    "---\nstatus: open\npriority: low\ndue: 2026-11-22\n---\n# Low\n",
	"actions/high":   "---\nstatus: open\npriority: high\n---\n# High\n",
	"actions/normal": "---\nstatus: open\npriority: normal\ndue: 2026-12-24\n---\n# Normal\n",

	"decisions/tabs": "---\nstatus: active\n---\n# Tabs\n",

	"meetings/board":     "---\ntags: [meeting]\ndate: 2026-11-23\nattendees: [\"[[Ada]]\", Eve]\n---\n# Board\n\n> The year.\n\nWith [[Bob]] on [[Weaver]].\n",
	"meetings/yesterday": "---\ntags: [meeting]\ndate: 2026-11-22\n---\n# Yesterday\n",

	"projects/loom": "# Project\n\n- [ ] Ask for wool 📅 2026-11-24\n- [ ] Some time\n- [x] Done 📅 2026-11-21\n- [ ] Far 📅 2027-01-01\n\n---\n\n- **2026-11-23** | meeting/9 — Called the weavers\n- **2026-11-22** | meeting/8 — Called before\n- **2026-11** | meeting — Some day\n",

	"concepts/old": "---\nstatus: stale\n---\n# Old concept\n",
}

// monday is what was done since: an end, a decision that was reversed, a new page, and
// a change of which nothing is to be told.
func (b *bed) monday() {
	b.clock.Set(at("2026-09-01 08:00"))
	b.put("people/dora", "---\nscore: 9\n---\n# Dora\n\nWrites.\n\n---\n\n- **2026-08-01** | letter — Writes\n")
	b.clock.Set(at("2026-11-20 08:00"))
	for _, slug := range slices.Sorted(keys(state)) {
		b.put(slug, state[slug])
	}
	b.clock.Set(at("2026-11-23 08:00"))
	apptest.OK(links.Close(b.t.Context(), b.Session, api.LinkRequest{From: "people/ada", Type: "works_at", To: "companies/engine", Until: "2026-11-22"}))(b.t)
	b.put("decisions/tabs", "---\nstatus: reversed\n---\n# Tabs\n")
	b.put("commitments/review", "---\nstatus: open\ndue: 2026-11-29\n---\n# The review\n")
	b.put("people/eva", "---\nscore: 3\n---\n# Eva\n\n- works_at [[Weaver]] @2020..2025\n")
	b.put("people/bob", state["people/bob"]+"\nMore.\n")
	apptest.OK(change.AddEntry(b.t.Context(), b.Session, change.AddEntryRequest{Ref: "people/dora", Date: "2026-11-22", Text: "Stopped"}))(b.t)
	apptest.OK(gap.Log(b.t.Context(), b.Session, gap.LogRequest{Question: "who owns the mill?", Context: "for the lease"}))(b.t)
	apptest.OK(gap.Log(b.t.Context(), b.Session, gap.LogRequest{Question: "who owns the mill?"}))(b.t)
	b.clock.Set(at("2026-11-23 09:00"))
}

func keys[V any](m map[string]V) func(func(string) bool) {
	return func(yield func(string) bool) {
		for k := range m {
			if !yield(k) {
				return
			}
		}
	}
}

// finding is the id of one, which pages have that got theirs by chance.
var finding = regexp.MustCompile(`\[[0-9a-f]{12}\]`)

func text(b api.Briefing) string {
	var out strings.Builder
	fmt.Fprintf(&out, "%s since %s, %d of %d tokens, %d left out\n", b.Date, b.Since.Format(time.RFC3339), b.Tokens, b.Budget, b.LeftOut)
	for _, s := range b.Sections {
		fmt.Fprintf(&out, "\n%s: %d, %d left out\n", s.Name, s.Total, s.LeftOut)
		for _, i := range s.Items {
			for _, line := range i.Lines() {
				fmt.Fprintln(&out, line)
			}
		}
	}
	return finding.ReplaceAllString(out.String(), "[id]")
}

// What each section says of one memory, and of the same with less room.
func TestBriefing(t *testing.T) {
	t.Parallel()
	b := newBed(t, "memory")
	b.monday()
	for name, req := range map[string]brief.Request{
		"whole": {}, "since": {Since: "2026-11-19"}, "small": {Budget: 150}, "least": {Budget: 1},
	} {
		t.Run(name, func(t *testing.T) {
			got := text(apptest.OK(brief.CompileBriefing(context.Background(), b.Session, req))(t))
			golden := filepath.Join("testdata", name+".golden")
			if *update {
				if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if got != string(want) {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
		})
	}
}

// A space that knows nothing of commitments has what any pages have; one with nothing
// has no sections.
func TestBriefingOfNotes(t *testing.T) {
	t.Parallel()
	b := newBed(t, "notes")
	if got := apptest.OK(brief.CompileBriefing(t.Context(), b.Session, brief.Request{}))(t); len(got.Sections) != 0 || got.Sections == nil || got.Tokens != 0 {
		t.Errorf("of nothing: %+v", got)
	}
	b.put("plan", "# Plan\n\n- [ ] Ask for wool 📅 2026-11-19\n")
	var names []string
	got := apptest.OK(brief.CompileBriefing(t.Context(), b.Session, brief.Request{}))(t)
	for _, s := range got.Sections {
		names = append(names, s.Name)
	}
	if !slices.Equal(names, []string{"threads", "changes"}) || !got.Sections[0].Items[0].Overdue {
		t.Errorf("of notes: %+v", got)
	}
}

// Changes past what is compared are said to be more than were counted, and a directory
// that is new has nothing that shifted.
func TestBriefingOfManyChanges(t *testing.T) {
	t.Parallel()
	b := newBed(t, "memory")
	for i := range 60 {
		b.put(fmt.Sprintf("decisions/d%02d", i), "---\nstatus: active\n---\n")
	}
	shifted := func() (out api.BriefingSection) {
		for _, s := range apptest.OK(brief.CompileBriefing(t.Context(), b.Session, brief.Request{Budget: 100_000}))(t).Sections {
			if s.Name == "shifted" {
				out = s
			}
		}
		return out
	}
	if got := shifted(); got.Total != 0 {
		t.Errorf("of new pages: %+v", got)
	}
	b.clock.Set(b.clock.Last().AddDate(0, 0, 3))
	for i := range 60 {
		b.put(fmt.Sprintf("decisions/d%02d", i), "---\nstatus: reversed\n---\n")
	}
	if got := shifted(); got.Total != 50 || !got.AtLeast || got.LeftOut+len(got.Items) != 50 {
		t.Errorf("of many: %+v", got)
	}
}

func TestBriefingRefusals(t *testing.T) {
	t.Parallel()
	b := newBed(t, "memory")
	for _, req := range []brief.Request{{Budget: -1}, {Since: "someday"}} {
		if _, err := brief.CompileBriefing(t.Context(), b.Session, req); kb.CodeOf(err) != kb.Usage {
			t.Errorf("%+v: %v", req, err)
		}
	}
}
