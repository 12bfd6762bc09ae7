package lifecycle

import (
	"testing"

	"github.com/cairn-kb/cairn/internal/kb"
)

func TestAssertionsAgainstRelations(t *testing.T) {
	t.Parallel()
	rules := Rules{Many: map[string]bool{"founded": true}, Lasting: map[string]bool{kb.NameKey("works_at"): true}, Today: "2026-06-01"}
	said := func(predicate, from, until string) Fact {
		return Fact{Page: 9, Subject: 1, Predicate: predicate, Object: Object{Page: 2, Name: "Brex"}, Interval: kb.Interval{From: from, Until: until}, Source: Asserted}
	}
	link := func(predicate, from, until string, to int64) Fact {
		return Fact{Page: 1, Subject: 1, Predicate: predicate, Object: Object{Page: to, Name: "Brex"}, Interval: kb.Interval{From: from, Until: until}, Source: Relation}
	}
	for _, test := range []struct {
		name  string
		want  string // certain, possible or ""
		facts []Fact
	}{
		{"the same ended", "certain", []Fact{said("works_at", "2017", ""), link("Works At", "2017", "2025", 2)}},
		{"since nobody knows when", "certain", []Fact{said("works_at", "", ""), link("works_at", "2017", "2025", 2)}},
		{"what ends with it", "possible", []Fact{said("is_ceo_of", "2017", ""), link("works_at", "2017", "2025", 2)}},
		{"what does not end with it", "", []Fact{said("is_ceo_of", "2017", ""), link("met", "2017", "2025", 2)}},
		{"it began again", "", []Fact{said("works_at", "2025", ""), link("works_at", "2017", "2025", 2)}},
		{"it ends later", "", []Fact{said("works_at", "2017", ""), link("works_at", "2017", "2027", 2)}},
		{"another one holds", "", []Fact{said("works_at", "2017", ""), link("works_at", "2017", "2020", 2), link("works_at", "2024", "", 2)}},
		{"another relation holds", "certain", []Fact{said("works_at", "2017", ""), link("works_at", "2017", "2020", 2), link("knows", "2024", "", 2)}},
		{"it has ended, too", "", []Fact{said("works_at", "2017", "2025"), link("works_at", "2017", "2025", 2)}},
		{"another firm", "", []Fact{said("works_at", "2017", ""), link("works_at", "2017", "2025", 3)}},
		{"any number", "", []Fact{said("founded", "2017", ""), link("founded", "2017", "2025", 2)}},
	} {
		got := ""
		for _, f := range rules.Contradictions(test.facts) {
			if f.Kind != Against {
				t.Errorf("%s: also %s", test.name, f.Kind)
			} else if got = "possible"; f.Certain {
				got = "certain"
			}
		}
		if got != test.want {
			t.Errorf("%s: %q, want %q", test.name, got, test.want)
		}
	}
}
