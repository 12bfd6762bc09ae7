package link_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/cairn-kb/cairn/internal/doc/link"
	"github.com/cairn-kb/cairn/internal/kb"
)

func TestMeant(t *testing.T) {
	t.Parallel()
	pages := []link.Page{
		1:  {Path: "t/one.md", Title: "Twin title"},
		2:  {Path: "t/two.md", Title: "Twin title"},
		3:  {Path: "twin-title.md", Title: "Something else"},
		4:  {Path: "log.md", Title: "The log"},
		5:  {Path: "deep/log.md", Title: "Another log"},
		6:  {Path: "a/plan.md", Title: "Plan A"},
		7:  {Path: "a/b/plan.md", Title: "Plan B"},
		8:  {Path: "x.md", Title: "In/Out", Aliases: []string{"Another Log", "ada"}},
		9:  {Path: "Ada.md", Title: "Countess"},
		10: {Path: "notes.org", Node: "n", Title: "A heading"},
		11: {Path: "y.md", Title: "log"},
	}
	for i := range pages {
		pages[i].Row = int64(i)
	}
	for name, want := range map[string]string{
		"Twin title": "[1 2]", "twin title": "[1 2]", "twin-title": "[3]", "twin-title.md": "[3]", "Twin-Title": "[3]",
		"t/one": "[1]", "/t/one": "[1]", "one": "[1]",
		"log": "[4]", "deep/log": "[5]", "Deep/Log": "[5]", "Another log": "[5]", "another LOG": "[5]",
		"plan": "[6 7]", "b/plan": "[7]",
		"In/Out": "[8]", "ada": "[8]", "Ada": "[9]",
		"notes": "[]", "A heading": "[10]", "nothing": "[]",
	} {
		if got := fmt.Sprint(link.Meant(name, pages[1:])); got != want {
			t.Errorf("%q means %s, want %s", name, got, want)
		}
		if keys := link.MeantKeys(name); want != "[]" {
			for _, p := range pages[1:] {
				for _, row := range link.Meant(name, pages[1:]) {
					if p.Row == row && !shares(link.Names(p), keys) {
						t.Errorf("page %d is not found by %q: %v and %v", row, name, link.Names(p), keys)
					}
				}
			}
		}
	}
}

func shares(a, b []string) bool {
	for _, x := range a {
		for _, y := range b {
			if x == y {
				return true
			}
		}
	}
	return false
}

func TestAdorned(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name string
		page link.Page
		want bool
	}{
		{"Daily notes", link.Page{Path: "→ Daily notes.md", Title: "→ Daily notes"}, true},
		{"daily-notes", link.Page{Path: "x.md", Title: "= Daily notes"}, true},
		{"notes", link.Page{Path: "→ Daily notes.md", Title: "→ Daily notes"}, false},
		{"Daily notes", link.Page{Path: "→ Daily notes.org", Node: "n", Title: "Other"}, false},
		{"C", link.Page{Path: "C++.md", Title: "C++"}, false},
	} {
		if got := link.Adorned(tc.name, tc.page); got != tc.want {
			t.Errorf("%q, %+v: %v", tc.name, tc.page, got)
		}
		if found := slices.Contains(link.Names(tc.page), kb.NameKey(tc.name)); tc.want && !found {
			t.Errorf("%q is no name of %+v", tc.name, tc.page)
		}
		if rows := link.Resolve(link.Ref{Kind: link.RelationKind, Name: tc.name}, []link.Page{tc.page}); len(rows) > 0 {
			t.Errorf("a link to %q leads to %+v", tc.name, tc.page)
		}
	}
}
