package links_test

import (
	"testing"

	"github.com/cairn-kb/cairn/internal/memory/change"
	"github.com/cairn-kb/cairn/internal/memory/links"
	"github.com/cairn-kb/cairn/internal/test/apptest"
)

// What is known of the headings of a page is of its text: it changes with the text, and
// another page with the old one has its own.
func TestMissingHeadingsFollowTheText(t *testing.T) {
	t.Parallel()
	a := apptest.New(t).Open()
	put := func(ref, text string) {
		t.Helper()
		apptest.OK(change.Put(t.Context(), a, change.PutRequest{Ref: ref, Text: []byte(text), Overwrite: true}))(t)
	}
	missing := func(want ...string) {
		t.Helper()
		got := apptest.OK(links.Unresolved(t.Context(), a, 0, 0))(t)
		if len(got.Items) != len(want) {
			t.Fatalf("%d links without a heading: %+v", len(got.Items), got.Items)
		}
		for i, l := range got.Items {
			if l.State != links.NoAnchor || l.Heading != want[i] {
				t.Errorf("%d: %s to %q, not %q", i, l.State, l.Heading, want[i])
			}
		}
	}
	put("mill", "# Mill\n\n## Wheel\n\nIt turns.\n")
	put("store", "# Store\n\n## Wheel\n")
	put("from", "[[mill#Wheel]] [[mill#Sluice]] [[store#Wheel]] [[mill#Wheel]]\n")
	missing("Sluice")
	missing("Sluice")
	put("mill", "# Mill\n\n## Sluice\n\nIt opens.\n")
	missing("Wheel", "Wheel")
	put("mill", "# Mill\n\n## Wheel\n\nIt turns.\n")
	missing("Sluice")
}
