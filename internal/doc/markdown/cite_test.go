package markdown_test

import (
	"strings"
	"testing"

	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/doc/markdown"
)

// Text in brackets is a citation where each part has one key.
func TestCitations(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"As [@chen2009] says.":                    "chen2009",
		"[see @chen2009, p. 3; also @li:20/b.]":   "chen2009 li:20/b",
		"[-@chen2009, chap. 1]":                   "chen2009",
		"# On [@chen2009]\n\n- [ ] Read [@li20]":  "chen2009 li20",
		"[[@chen2009]] and `[@li20]`":             "@chen2009",
		"[mail a@b.c] [@] [@a @b] [@a; and more]": "",
		"\\[@chen2009] ![@chen2009]":              "",
		"By [@chen].\n\n[@chen]: https://x.org\n": "",
		"[@chen](chen.md)":                        "chen.md",
	} {
		var got []string
		for _, l := range (markdown.Codec{}).Parse("a.md", []byte(text)).Nodes[0].Links {
			got = append(got, l.Name)
			if l.Kind == doc.OrgCite && text[l.Span.Start:l.Span.End] != "@"+l.Name {
				t.Errorf("%q: %s is at %v", text, l.Name, l.Span)
			}
		}
		if got := strings.Join(got, " "); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
	n := markdown.Codec{}.Parse("a.md", []byte("---\ncitekey: \"@chen2009\"\n---\n")).Nodes[0]
	if strings.Join(n.Refs, " ") != "@chen2009" {
		t.Errorf("refs %q", n.Refs)
	}
}
