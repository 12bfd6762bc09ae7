package lifecycle_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/policy/lifecycle"
)

func TestContradictions(t *testing.T) {
	t.Parallel()
	rules := lifecycle.Rules{
		Single: map[string]bool{"works-at": true}, Exclusive: map[string]bool{"ceo-of": true}, Many: map[string]bool{"knows": true},
		Lasting: map[string]bool{"works-at": true}, Today: "2026-11-27",
	}
	// fact is of a page, about a subject, with the page 9 as object.
	fact := func(source lifecycle.Source, page, subject int64, predicate, from, until string) lifecycle.Fact {
		return lifecycle.Fact{
			Page: page, Subject: subject, Predicate: predicate, Object: lifecycle.Object{Page: 9, Name: "Tidal"},
			Interval: kb.Interval{From: from, Until: until}, Source: source, Line: int(subject),
		}
	}
	relation := func(page int64, predicate, from, until string) lifecycle.Fact {
		return fact(lifecycle.Relation, page, page, predicate, from, until)
	}
	said := func(until, on string, entry bool) lifecycle.Fact {
		f := fact(lifecycle.Text, 1, 1, "", "", until)
		f.On, f.Entry, f.Line = on, entry, 7
		return f
	}
	for name, tc := range map[string]struct {
		facts []lifecycle.Fact
		want  string // kind, certain or possible, and the pages of the sides
	}{
		"two subjects":                 {[]lifecycle.Fact{relation(1, "ceo_of", "2019", ""), relation(2, "is CEO of", "2020", "")}, "cross_page certain 1 2"},
		"the one before":               {[]lifecycle.Fact{relation(1, "ceo_of", "2019", "2026-03"), relation(2, "ceo_of", "2026-03", "")}, ""},
		"begun this month, perhaps":    {[]lifecycle.Fact{relation(1, "ceo_of", "2019", ""), relation(2, "ceo_of", "2026-11", "")}, "cross_page certain 1 2"},
		"one who says it twice":        {[]lifecycle.Fact{relation(1, "ceo_of", "2019", ""), fact(lifecycle.Asserted, 2, 1, "is_ceo_of", "", "")}, ""},
		"asserted of another":          {[]lifecycle.Fact{relation(1, "ceo_of", "2019", ""), fact(lifecycle.Asserted, 1, 2, "is_ceo_of", "", "")}, "cross_page certain 1 1"},
		"two employees":                {[]lifecycle.Fact{relation(1, "works_at", "2019", ""), relation(2, "works_at", "", "")}, ""},
		"a key against an ended one":   {[]lifecycle.Fact{fact(lifecycle.Property, 1, 1, "works_at", "", ""), relation(1, "works_at", "2019", "2025-12")}, "assertion certain 1 1"},
		"a key, and works there again": {[]lifecycle.Fact{fact(lifecycle.Property, 1, 1, "works_at", "", ""), relation(1, "works_at", "2019", "2025-12"), relation(1, "works_at", "2026", "")}, ""},
		"left by the date it was said": {[]lifecycle.Fact{relation(1, "works_at", "2019", ""), said("", "2026-03", false)}, "temporal certain 1 1"},
		"began after it was said":      {[]lifecycle.Fact{relation(1, "works_at", "2026-05", ""), said("", "2026-03", true)}, ""},
		"said twice":                   {[]lifecycle.Fact{relation(1, "works_at", "2019", ""), said("2026-03", "2026-03", true), said("", "2026-05", false)}, "temporal certain 1 1"},
		"will leave":                   {[]lifecycle.Fact{relation(1, "works_at", "2019", ""), said("2027", "2026-03", false)}, ""},
		"of no lasting relation":       {[]lifecycle.Fact{relation(1, "advises", "2019", ""), said("2025", "", false)}, "temporal possible 1 1"},
		"of any number":                {[]lifecycle.Fact{relation(1, "knows", "2019", ""), said("2025", "", false)}, ""},
	} {
		var got []string
		for _, f := range rules.Contradictions(tc.facts) {
			sure := "possible"
			if f.Certain {
				sure = "certain"
			}
			got = append(got, fmt.Sprint(f.Kind, " ", sure, " ", f.A.Page, " ", f.B.Page))
		}
		if got := strings.Join(got, ", "); got != tc.want {
			t.Errorf("%s: %q, want %q", name, got, tc.want)
		}
	}
}

// Of a predicate without a rule, the newest two objects are shown.
func TestNewestOfUnknownPredicates(t *testing.T) {
	t.Parallel()
	lead := func(weeks, from string) lifecycle.Fact {
		return lifecycle.Fact{Page: 1, Subject: 1, Predicate: "lead_time", Object: lifecycle.Object{Name: weeks}, Interval: kb.Interval{From: from}, Source: lifecycle.Asserted}
	}
	got := lifecycle.Rules{Today: "2026-11-27"}.Contradictions([]lifecycle.Fact{lead("9", "2026-01"), lead("18", "2026-10"), lead("14", "2026-05")})
	if len(got) != 1 || got[0].Certain || got[0].A.Object.Name != "14" || got[0].B.Object.Name != "18" {
		t.Errorf("%+v", got)
	}
}

// A holder of a role that has no page is another one only where the name is one, and cannot be
// that of the page in another writing.
func TestHoldersWithoutAPage(t *testing.T) {
	t.Parallel()
	rules := lifecycle.Rules{Exclusive: map[string]bool{"ceo-of": true}, Today: "2026-11-27"}
	for _, tc := range []struct{ page, name, want string }{
		{"Bo Lind", "Ingrid Nes", "certain"},
		{"Bo Lind", "Inger de la Cruz", "certain"},
		{"吴岚", "陈璐", "certain"},
		{"Bo Lind", "Vacant", ""}, {"Bo Lind", "TBA", ""}, {"Bo Lind", "N/A", ""}, {"Bo Lind", "None", ""}, {"Bo Lind", "Unknown", ""},
		{"Bo Lind", "Interim", ""}, {"Bo Lind", "Founder", ""}, {"Bo Lind", "The founder", ""}, {"Bo Lind", "See board page", ""},
		{"Bo Lind", "Interim CEO", ""}, {"Bo Lind", "Gründer", ""}, {"Bo Lind", "Poste vacant", ""}, {"吴岚", "空缺", ""}, {"Bo Lind", "A. B.", ""},
		{"Bo Marr", "Bo K. Marr", ""}, {"Bo Norr", "B. Norr", ""}, {"Bo Lind", "Lind, Bo", ""}, {"Bo Lind", "Dr. Bo Lind", ""},
		{"Jose Ayala", "José Ayala", ""}, {"Jørn Riis", "Joern Riis", ""}, {"Jörn Riis", "Joern Riis", ""},
		{"Olga Sedova", "Ольга Седова", ""}, {"Wu Lan", "吴岚", ""},
		{"Bob Orr", "Robert Orr", "possible"}, {"Anna Berg", "Anna Holm", "possible"}, {"Olga Sedova", "Olia Sedowa", "possible"},
		{"Bob Orr", "B. Stone", "possible"}, {"Bob Orr", "Ingrid", "possible"},
	} {
		fact := func(subject int64, name string) lifecycle.Fact {
			return lifecycle.Fact{Page: 1, Subject: subject, Called: name, Predicate: "ceo_of", Object: lifecycle.Object{Page: 9, Name: "Tidal"}, Source: lifecycle.Property}
		}
		got := ""
		for _, f := range rules.Contradictions([]lifecycle.Fact{fact(2, tc.page), fact(-1, tc.name)}) {
			if got = "possible"; f.Certain {
				got = "certain"
			}
		}
		if got != tc.want {
			t.Errorf("%s and %s: %q, want %q", tc.page, tc.name, got, tc.want)
		}
	}
}
