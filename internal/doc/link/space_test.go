package link

import (
	"testing"

	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/kb"
)

func TestLinksToOtherSpaces(t *testing.T) {
	t.Parallel()
	wiki := string(doc.WikiLink)
	for _, tc := range []struct {
		kind, name, space, page string
	}{
		{wiki, "work/Plan", "work", "Plan"},
		{wiki, "My Research/a/b.md", "My Research", "a/b.md"},
		{RelationKind, "work/Plan", "work", "Plan"},
		{wiki, "work:Plan", "work", "Plan"},
		{wiki, "My Research: a/b.md", "My Research", "a/b.md"},
		{wiki, "work/Plan: the second", "work", "Plan: the second"},
		{wiki, "work:", "", ""},
		{wiki, ":Plan", "", ""},
		{wiki, "https://example.org/x", "https", "//example.org/x"}, // no space has the name
		{string(doc.MarkLink), "work:plan.md", "", ""},
		{wiki, "Plan", "", ""},
		{wiki, "/Plan", "", ""},
		{wiki, "work/", "", ""},
		{wiki, "work//", "", ""},
		{wiki, " /x", "", ""},
		{wiki, "", "", ""},
		{string(doc.MarkLink), "work/plan.md", "", ""},
		{string(doc.OrgFile), "work/plan.org", "", ""},
		{string(doc.OrgCite), "@work/plan", "", ""},
	} {
		space, page, ok := CrossSpace(Ref{Kind: tc.kind, Name: tc.name, FromPath: "dir/from.md"})
		if want := (Ref{Kind: tc.kind, Name: tc.page}); space != tc.space || ok != (tc.space != "") || ok && page != want {
			t.Errorf("%s %q: space %q, page %+v, %v", tc.kind, tc.name, space, page, ok)
		}
	}
}

func TestNamesOfSpaces(t *testing.T) {
	t.Parallel()
	var all []kb.Space
	for i, name := range []string{"notes", "my-research", "café", "my-research@wt-2", "Notes-2"} {
		all = append(all, kb.Space{Row: int64(i + 1), Name: name})
	}
	for name, want := range map[string]int64{
		"notes": 1, "Notes": 1, " notes ": 1, "notes-2": 5, "Notes 2": 5, "note": 0, "": 0, "!": 0,
		"My Research": 2, "my_research": 2, "MY-RESEARCH": 2, "My Research@wt 2": 4, "my-research-wt-2": 0,
		"Cafe\u0301": 3, "CAFÉ": 3,
	} {
		if s, _ := Space(all, name); s.Row != want {
			t.Errorf("%q is %q", name, s.Name)
		}
	}
}
