package links_test

import (
	"testing"

	"github.com/cairn-kb/cairn/internal/memory/change"
	"github.com/cairn-kb/cairn/internal/memory/links"
	"github.com/cairn-kb/cairn/internal/test/apptest"
)

// Mentions are pages that name one without a link: not in code, not as a part of a word, and
// not where a link is somewhere else on the page.
func TestMentions(t *testing.T) {
	t.Parallel()
	a := apptest.New(t).Open()
	for ref, text := range map[string]string{
		"mill":   "---\naliases: [Grinder]\n---\n# The Mill\n\nThe Mill itself.\n",
		"names":  "# Names\n\nFirst.\n\nHere the mill turns.\n",
		"alias":  "# Alias\n\nThe Grinder is its other name.\n",
		"linked": "# Linked\n\nThe Mill, see [[mill]].\n",
		"code":   "# Code\n\n`The Mill` and the milling.\n",
		"none":   "# None\n\nThe store, and a mill.\n",
	} {
		apptest.OK(change.Put(t.Context(), a, change.PutRequest{Ref: ref, Text: []byte(text)}))(t)
	}
	got := apptest.OK(links.Mentions(t.Context(), a, "mill", 10, 0))(t)
	if got.Total != 2 || got.Items[0].Ref != "memory:alias" || got.Items[1].Ref != "memory:names" || got.Items[1].Lines[0] != 5 || got.Items[1].Context != "Here the mill turns." {
		t.Errorf("the mentions are %+v", got)
	}
	if part := apptest.OK(links.Mentions(t.Context(), a, "mill", 1, 0))(t); len(part.Items) != 1 || part.Next != "1" || part.Total != 2 {
		t.Errorf("one mention is %+v", part)
	}
	if got := apptest.OK(links.Mentions(t.Context(), a, "none", 10, 0))(t); got.Total != 0 {
		t.Errorf("a page that nothing names is mentioned: %+v", got)
	}
}
