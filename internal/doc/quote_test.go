package doc_test

import (
	"testing"

	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/doc/org"
)

// A text stands in a block of Org as a whole, whatever it says.
func TestInExample(t *testing.T) {
	t.Parallel()
	for given, want := range map[string]string{
		"* first line\ntext":      ",* first line\ntext",
		"a\n** two\nb * c":        "a\n,** two\nb * c",
		"x\n#+end_example\n* out": "x\n,#+end_example\n,* out",
		"  #+END_EXAMPLE":         "  ,#+END_EXAMPLE",
		",* escaped before":       ",,* escaped before",
		"# no keyword":            "# no keyword",
	} {
		if got := doc.InExample(given); got != want {
			t.Errorf("%q is %q", given, got)
		}
		block := "#+title: S\n\n#+begin_example\n" + doc.InExample(given) + "\n#+end_example\n"
		d := org.Codec{}.Parse("s.org", []byte(block))
		if len(d.Nodes[0].Headings) != 0 {
			t.Errorf("%q has the headings %v", given, d.Nodes[0].Headings)
		}
	}
}
