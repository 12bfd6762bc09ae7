package org

import (
	"strings"
	"testing"

	"github.com/cairn-kb/cairn/internal/doc"
)

func TestReading(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ text, want, markup string }{
		"links are their text": {
			"See [[id:be63d7a1-0000-4000-8000-000000000000][Deep learning]] and [[https://sparky.rice.edu/awk.html][Awk]].\n",
			"See Deep learning and Awk.", "sparky.rice.edu",
		},
		"a title":          {"As in [[Deep learning]].\n", "As in Deep learning.", ""},
		"an address":       {"At [[https://a.example/b]] or https://c.example/d.\n", "At https://a.example/b or https://c.example/d.", "c.example"},
		"an image":         {"Before [[file:img/cat.png]] after\n", "Before  after", "cat"},
		"comments":         {"One\n# two\n  # three\n#+begin_comment\nfour\n#+end_comment\nfive\n", "One\nfive", "four"},
		"property drawers": {"* Heading\n:PROPERTIES:\n:CREATED: yesterday\n:END:\n:LOGBOOK:\nCLOCK: [2026-01-01]\n:END:\ntext\n", "* Heading\ntext", "CLOCK"},
		"other drawers":    {"* Heading\n:NOTES:\nwords\n:END:\n", "* Heading\n:NOTES:\nwords\n:END:", ""},
		"code":             {"#+begin_src sh\n# [[a][b]]\n#+end_src\n=[[c][d]]=\n", "#+begin_src sh\n# [[a][b]]\n#+end_src\n=[[c][d]]=", ""},
		"a relation":       {"* Relations\n- works at :: [[id:be63d7a1-0000-4000-8000-000000000000][Acme]]\n", "* Relations\n- works at :: Acme", "be63d7a1"},
	} {
		d := Codec{}.Parse("x.org", []byte(tt.text))
		all := doc.Span{End: len(d.Text)}
		if got := d.Reading(all); got != tt.want {
			t.Errorf("%s:\n got %q\nwant %q", name, got, tt.want)
		}
		words, markup := d.Words(all)
		if !strings.Contains(markup, tt.markup) || tt.markup != "" && strings.Contains(words, tt.markup) {
			t.Errorf("%s: words %q, markup %q", name, words, markup)
		}
		if got := d.ReadingLines(all); strings.Count(string(got), "\n") != strings.Count(tt.text, "\n") {
			t.Errorf("%s: other lines: %q", name, got)
		}
	}
}
