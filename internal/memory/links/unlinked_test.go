package links

import (
	"strings"
	"testing"

	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/doc/markdown"
	"github.com/cairn-kb/cairn/internal/doc/org"
)

// Of a text what is prose stays, on its line; names in code, links, addresses and metadata
// are none to be linked.
func TestProse(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		codec      doc.Codec
		text, want string
	}{
		"metadata": {markdown.Codec{}, "---\ntitle: Ada\n---\nBob\n", "|||Bob"},
		"links":    {markdown.Codec{}, "Met [[Ada]] and [Eve](eve.md), Bob.\n- works_at [[Brex]] @2017..\n", "Met and , Bob.|- works_at @2017.."},
		"code":     {markdown.Codec{}, "a `Ada` b\n```\nAda\n```\nBob\n~~~\nAda\n", "a b||||Bob||"},
		"address":  {markdown.Codec{}, "see https://x.org/Ada, Bob\n", "see Bob"},
		"org":      {org.Codec{}, "* H\nAda [[id:x][Eve]]\n#+BEGIN_SRC c\nAda\n#+END_SRC\nBob\n", "* H|Ada||||Bob"},
	} {
		t.Run(name, func(t *testing.T) {
			path := "n.md"
			if _, ok := tc.codec.(org.Codec); ok {
				path = "n.org"
			}
			var got []string
			for line := range strings.Lines(string(prose(tc.codec.Parse(path, []byte(tc.text)), 0))) {
				got = append(got, strings.Join(strings.Fields(line), " "))
			}
			if text := strings.Join(got, "|"); text != tc.want {
				t.Errorf("%q, want %q", text, tc.want)
			}
		})
	}
}
