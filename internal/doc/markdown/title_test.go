package markdown_test

import (
	"slices"
	"strings"
	"testing"
)

// TestHeadingAsTitle: the first heading names a page that has no title.
func TestHeadingAsTitle(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ path, source, want string }{
		{"adr/0003-history.md", "# 3. History keeps *bytes*\n\ntext\n", "3. History keeps bytes"},
		{"a.md", "\n\nSetext\n======\n\n# Another\n", "Setext"},
		{"a.md", "---\ntags: [x]\n---\n# [[Page|Words]] #\n", "Words"},
		{"a.md", "%% about\nthis file %%\n\n[![badge](b.svg)](u) ![[map]]\n#tag\nup:: [[B]]\n<br>\n> quoted\n\n# Below all that\n\n# Two\n", "Below all that"},
		{"202209031200.md", "# A zettel\n", "A zettel"},
		{"river-crossing.md", "# River crossing\n", "River crossing"},
		{"2022-07-16 Roadmap.md", "# Plans\n", "Plans"},
		// No title: the page has one, the heading says the same or nothing.
		{"a.md", "---\ntitle: Own\n---\n# Heading\n", "Own"},
		{"River crossing.md", "# River crossing\n", "River crossing"},
		{"a.md", "text\n\n# One\n", "a"},
		{"a.md", "## First\n\n# Later\n", "a"},
		{"a.md", "text\n\n---\n\n# Below the line\n", "a"},
		{"2022-07-16.md", "# Done\n", "2022-07-16"},
		{"2022_07_16.md", "# Done\n", "2022_07_16"},
		{"20220716.md", "# Done\n", "20220716"},
		{"a.md", "# {{title}}\n", "a"},
		{"a.md", "# <% tp.file.title %>\n", "a"},
		{"a.md", "#\n", "a"},
		{"a.md", "# " + strings.Repeat("long ", 50) + "\n", "a"},
		{"a.md", "- # In a list\n", "a"},
	} {
		n := parse(tc.path, tc.source)
		headed := n.Title != strings.TrimSuffix(tc.path[strings.LastIndexByte(tc.path, '/')+1:], ".md") && n.Title != "Own"
		if n.Title != tc.want || slices.Contains(n.Aliases, n.Title) != headed {
			t.Errorf("%s, %q: title %q, aliases %q", tc.path, tc.source, n.Title, n.Aliases)
		}
	}
	if n := parse("a.md", "---\ntitle: Own\naliases: [Own, Other]\n---\n"); !slices.Equal(n.Aliases, []string{"Other"}) {
		t.Errorf("aliases %q", n.Aliases)
	}
}
