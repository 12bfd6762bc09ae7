package retrieve_test

import (
	"testing"

	"github.com/cairn-kb/cairn/internal/memory/retrieve"
)

func TestProse(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"":                                    "",
		"# Only a heading\n":                  "",
		"# Title\n\nText. More.\n":            "Text. More.\n",
		"```sh\nrm -rf build\n```\n\nClean.":  "Clean.",
		"#+begin_src sh\nrm\n#+END_SRC\nOrg.": "Org.",
		"~~~\nnever closed":                   "",
		"| a | b |\n|---|---|\n\nBelow.":      "Below.",
		"- works_at [[Acme]]\n\nAfter.":       "After.",
		":PROPERTIES:\nText.":                 "Text.",
	} {
		if got := retrieve.Prose(text); got != want {
			t.Errorf("%q begins with %q, want %q", text, got, want)
		}
	}
}
