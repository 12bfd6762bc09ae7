package doctor

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/cairn-kb/cairn/internal/doc/link"
	"github.com/cairn-kb/cairn/internal/kb"
)

func TestSupersessionChains(t *testing.T) {
	t.Parallel()
	page := kb.Page{Row: 1, ID: "7c9e6679-7425-40de-944b-e07fc1f90ae7", SpaceID: "s", Path: "p/ada.md"}
	said := func(line int, object, until string, supersedes int64) kb.Assertion {
		return kb.Assertion{Page: 1, Subject: "Ada", Predicate: "role", Object: object, ValidUntil: until, Supersedes: supersedes, Line: line}
	}
	id := func(a kb.Assertion) int64 { return link.AssertionNumber(page.ID, a.Claim(), a.Nth) }
	first := said(1, "CTO", "2020", 0)
	open := said(2, "CFO", "", 0)
	round := said(8, "x", "2020", id(said(0, "y", "", 0)))
	for _, test := range []struct {
		name, want string
		all        []kb.Assertion
	}{
		{"a chain", "", []kb.Assertion{first, said(2, "CEO", "2022", id(first)), said(3, "chair", "", id(said(0, "CEO", "", 0)))}},
		{"not there", "p/.raw/ada.json:2: supersedes 7, which is not there", []kb.Assertion{said(2, "CEO", "", 7)}},
		{"still open", fmt.Sprintf("p/.raw/ada.json:3: supersedes %d, which has not ended", id(open)), []kb.Assertion{open, said(3, "CEO", "", id(open))}},
		{"twice", fmt.Sprintf("p/.raw/ada.json:3: supersedes %d, as %d does", id(first), id(said(0, "CEO", "", 0))),
			[]kb.Assertion{first, said(2, "CEO", "2021", id(first)), said(3, "chair", "", id(first))}},
		{"in a circle", "by way of", []kb.Assertion{round, said(9, "y", "2020", id(round))}},
	} {
		got := wrongAssertions(test.all, map[int64]kb.Page{1: page})["s"]
		if test.want == "" && len(got) > 0 || test.want != "" && !slices.ContainsFunc(got, func(s string) bool { return strings.Contains(s, test.want) }) {
			t.Errorf("%s: %q, want %q", test.name, got, test.want)
		}
	}
}
