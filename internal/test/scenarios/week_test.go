package scenarios_test

import (
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/google/go-cmp/cmp"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/brief"
	"github.com/cairn-kb/cairn/internal/knowledge/assertion"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/contradiction"
	"github.com/cairn-kb/cairn/internal/memory/read"
	"github.com/cairn-kb/cairn/internal/memory/retrieve"
	"github.com/cairn-kb/cairn/internal/test/apptest"
)

// weekPages are the pages of testdata/week.txtar by slug.
func weekPages(t *testing.T) map[string]string {
	t.Helper()
	file, err := txtar.ParseFile(filepath.Join("testdata", "week.txtar"))
	if err != nil {
		t.Fatal(err)
	}
	pages := map[string]string{}
	for _, f := range file.Files {
		pages[strings.TrimSuffix(f.Name, ".md")] = string(f.Data)
	}
	if len(pages) != 28 {
		t.Fatalf("%d pages", len(pages))
	}
	return pages
}

// week is a memory with these pages, and two assertions.
func week(t *testing.T) *memory.Session {
	t.Helper()
	a := inMemory(t, weekPages(t))
	for _, s := range []api.AssertRequest{
		{Subject: "companies/tidal-labs", Predicate: "headquartered_in", Object: "Trondheim", On: "people/bo-lind", Source: "User, call, 2026-11-24"},
		{Subject: "people/ines-roy", Predicate: "works_with", Object: "companies/tidal-labs", Source: "letter"},
	} {
		apptest.OK(assertion.Add(t.Context(), a, s))(t)
	}
	return a
}

// wrongInWeek is what is wrong in the week, and nothing else.
var wrongInWeek = []string{
	"cross_page Tidal Labs: ceo_of: Mira Holt @2019-04.. and Bo Lind @2026-03..",
	"cross_page Tidal Labs: headquartered_in: Bergen @2019.. and Trondheim",
	"cross_page Emil Berg: reports_to: people/bo-lind @2026-03.. and people/mira-holt @2024..",
	"cross_page Tomás Ruiz: works_at: Kessel AG and companies/acme-labs @2026-01..",
	"temporal Mira Holt: ceo_of companies/tidal-labs @2019-04.. is open, the text says it ended in 2026-03",
	"temporal Mira Holt: works_at companies/tidal-labs @2019-04.. is open, the text says it ended in 2026-03",
	"temporal Priya Nair: works_at companies/kessel-ag @2021.. is open, the timeline says it ended in 2026-11-12",
	"temporal Dana Webb: works_at companies/acme-labs @2020.. is open, the timeline says it ended in 2026-11-24",
	"temporal Yuki Mori: works_at companies/nordlicht @2022.. is open, the text says it ended",
	"assertion Tomás Ruiz: employer is Kessel AG, the relation works_at ended in 2025-12",
	"stale Priya Nair: the truth is of 2026-02, the newest entry of 2026-11-12",
}

func TestWeekContradictions(t *testing.T) {
	t.Parallel()
	a := week(t)
	got := strings.Split(certainly(t, a, contradiction.Request{}), "\n")
	want := slices.Sorted(slices.Values(wrongInWeek))
	slices.Sort(got)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("certain contradictions (-want +got):\n%s", diff)
	}
	for _, c := range apptest.OK(contradiction.List(t.Context(), a, contradiction.Request{}))(t).Items {
		for _, s := range []api.Side{c.A, c.B} {
			if c.Subject == "" || s.Quote == "" || s.Date == "" || s.Source == "" || s.Cited != "" && s.Authority == "" {
				t.Errorf("%s leaves something out: %+v", c.Text, s)
			}
		}
	}
	// Those of each page together are all of them.
	of := map[string]bool{}
	for slug := range weekPages(t) {
		for _, line := range strings.Split(certainly(t, a, contradiction.Request{Ref: slug}), "\n") {
			if line != "" {
				of[line] = true
			}
		}
	}
	if diff := cmp.Diff(want, slices.Sorted(maps.Keys(of))); diff != "" {
		t.Errorf("page by page (-want +got):\n%s", diff)
	}
}

func TestWeekBriefing(t *testing.T) {
	t.Parallel()
	a := week(t)
	got := map[string][]string{}
	for _, s := range apptest.OK(brief.CompileBriefing(t.Context(), a, brief.Request{Budget: 8000}))(t).Sections {
		for _, it := range s.Items {
			line := it.Title
			if s.Name == "contradictions" || s.Name == "stale" {
				line += ": " + it.Text
			}
			got[s.Name] = append(got[s.Name], line)
		}
	}
	var listed []string
	for _, line := range wrongInWeek {
		_, text, _ := strings.Cut(line, " ")
		listed = append(listed, text)
	}
	shown := slices.Concat(got["contradictions"], got["stale"])
	for i, line := range shown {
		shown[i], _, _ = strings.Cut(line, " (")
	}
	slices.Sort(shown)
	listed = append(listed, "The retainer of Client X is 4,500 EUR a month: Client X pays a retainer of 4,500 EUR a month.")
	slices.Sort(listed)
	if diff := cmp.Diff(listed, shown); diff != "" {
		t.Errorf("contradictions and stale pages (-want +got):\n%s", diff)
	}
	for name, want := range map[string][]string{
		"calendar":    {"Board"},
		"deals":       {"Tidal Labs Series B"},
		"commitments": {"Contract draft to Tidal Labs", "Turbine report"},
		"actions":     {"Call Priya's successor"},
		"people":      {"Ines Roy"},
	} {
		if diff := cmp.Diff(want, got[name]); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// The page that holds now comes first, and says what it replaces.
func TestWeekSearch(t *testing.T) {
	t.Parallel()
	a := week(t)
	for question, want := range map[string]string{
		"retainer of Client X":                          "memory:decisions/retainer-2027",
		"The retainer of Client X is 4,500 EUR a month": "memory:decisions/retainer-2027",
		"refunds second approver":                       "memory:decisions/refunds",
		"lead time of a turbine from order to delivery": "memory:concepts/lead-time",
		"Saint-Malo grid permit":                        "memory:projects/saint-malo",
		"who designs lamps at Nordlicht":                "memory:people/yuki-mori",
		"Series B of Tidal Labs":                        "memory:deals/tidal-series-b",
		"our lawyer for contracts":                      "memory:people/ines-roy",
	} {
		found := apptest.OK(read.Search(t.Context(), a, retrieve.SearchRequest{Query: question, Mode: api.ModeWords, Limit: 5}))(t)
		if len(found.Items) == 0 || found.Items[0].Ref != want {
			var refs []string
			for _, h := range found.Items {
				refs = append(refs, h.Ref)
			}
			t.Errorf("%s: %q, want %s first", question, refs, want)
		}
	}
	found := apptest.OK(read.Search(t.Context(), a, retrieve.SearchRequest{Query: "mira holt", Mode: api.ModeWords, Limit: 1}))(t)
	if len(found.Items) != 1 || !found.Items[0].Contested {
		t.Errorf("the page is not contested: %+v", found.Items)
	}
}
