package markdown_test

import (
	"strings"
	"testing"
)

// TestLogseq: what Logseq and Dendron write in their own way.
func TestLogseq(t *testing.T) {
	t.Parallel()
	n := parse("pages/Ada%20Lovelace.md", "title:: Countess\nalias:: Ada, [[A. L.]]\ntags:: person, #[[long tag]]\n\n- TODO Write to [[Charles Babbage]]\n- about #[[two words]] and #one\n- tags:: later\n")
	if n.Title != "Countess" || strings.Join(n.Aliases, "|") != "Ada|A. L." || len(n.Relations) != 0 {
		t.Errorf("title %q, aliases %q, relations %+v", n.Title, n.Aliases, n.Relations)
	}
	if got := strings.Join(n.Tags, "|"); got != "person|long tag|two words|one" {
		t.Errorf("tags %q", got)
	}
	for path, want := range map[string]string{
		"pages/Ada%20Lovelace.md": "Ada Lovelace", "pages/work___web.md": "work/web", "pages/a%2Fb.md": "a/b",
		"pages/100%.md": "100%", "pages/___.md": "___", "pages/__init__.md": "__init__",
	} {
		if got := parse(path, "- x\n").Title; got != want {
			t.Errorf("%s: title %q", path, got)
		}
	}
	if n := parse("a.md", "---\ncreated: 1612210000000\n---\n"); n.Created.Format("2006-01-02") != "2021-02-01" {
		t.Errorf("created %v", n.Created)
	}
	if n := parse("a.md", "text\ntitle:: no\n"); n.Title != "a" {
		t.Errorf("title %q", n.Title)
	}
}
