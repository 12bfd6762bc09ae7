package doc_test

import (
	"strings"
	"testing"

	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/kb"
)

// Every section can be named, by the very names that an error lists.
func TestSection(t *testing.T) {
	t.Parallel()
	n := doc.Node{}
	for _, path := range []string{"A", "A > Same", "A > Same", "B", "B > same", "Same", "Issue #2", "C", "C > Deep", "D > Deep"} {
		parts := strings.Split(path, " > ")
		n.Headings = append(n.Headings, doc.Heading{Text: parts[len(parts)-1], Path: path})
	}
	for name, want := range map[string]int{
		"A": 0, "# A": 0, "a": 0, "A > Same#1": 1, "A > Same#2": 2, "a > same#2": 2, "A > Same #2": 2, "B > same": 4, "Same": 5, "same": 4,
		"Issue #2": 6, "issue #2": 6, "C > Deep": 8, "Deep#1": 8, "Deep#2": 9,
	} {
		if got, err := n.Section(name); err != nil || got != want {
			t.Errorf("%q is section %d, want %d: %v", name, got, want, err)
		}
	}
	for name, want := range map[string]kb.Code{
		"A > Same": kb.Ambiguous, "Deep": kb.Ambiguous, "Deep#3": kb.NotFound, "Deep#0": kb.NotFound, "Deep#": kb.NotFound, "E": kb.NotFound, "#": kb.NotFound,
	} {
		_, err := n.Section(name)
		if kb.CodeOf(err) != want || kb.AsError(err).Hint == "" {
			t.Errorf("%q: %v, want %s and a hint", name, err, want)
		}
		named, _ := kb.AsError(err).Details["candidates"].([]string)
		if (len(named) == 2) != (want == kb.Ambiguous) {
			t.Errorf("%q: candidates are %v", name, named)
		}
		for _, c := range named {
			if _, err := n.Section(c); err != nil {
				t.Errorf("%q names %q, which leads nowhere: %v", name, c, err)
			}
		}
	}
}

// An accent in the name of a section may be spelled in two ways.
func TestSectionInAnySpelling(t *testing.T) {
	t.Parallel()
	for _, heading := range []string{"Caf\u00e9", "Cafe\u0301"} {
		n := doc.Node{Headings: []doc.Heading{{Text: heading, Path: "Top > " + heading}}}
		for _, name := range []string{"Caf\u00e9", "Cafe\u0301", "caf\u00e9", "CAFE\u0301", "Top > Caf\u00e9", "top > cafe\u0301"} {
			if i, err := n.Section(name); err != nil || i != 0 {
				t.Errorf("%q is not found as %q: %v", heading, name, err)
			}
		}
	}
}
