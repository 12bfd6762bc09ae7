package importer

import (
	"fmt"
	"strings"
	"testing"
)

// Whether a page has a text does not depend on how many are looked for.
func TestPageLines(t *testing.T) {
	t.Parallel()
	page := "# A\r\n\r\n## Messages\n\n### you\n\nOne\n\n### you\n\nTwo lines\nof text\n\n<!-- m1 -->\ntext of <!-- m2 --> in a line\n- [note] short"
	for text, want := range map[string]bool{
		"\n### you\n\nOne\n\n":                true,
		"\n### you\n\nTwo lines\nof text\n\n": true,
		"\n### you\n\nTwo lines\nof text":     true,
		"\n### you\n\nTwo lines\nof texts\n":  false,
		"\n### you\n\nof text\n":              false,
		"\nof te":                             true,
		"\nf te":                              false,
		"\n# A\n\n## Messages\n":              true,
		"\n- [note] short\n":                  true,
		"\n- [note] shorter\n":                false,
		"m1":                                  true,
		"m2":                                  true,
		"m3":                                  false,
		"\n" + strings.Repeat("none\n", 1000): false,
		"\n\n":                                true,
	} {
		for _, parts := range []int{1, fewParts + 1} {
			if got := newPageLines([]byte(page), parts).have([]byte(text)); got != want {
				t.Errorf("%d parts, %s: %v", parts, fmt.Sprintf("%.40q", text), got)
			}
		}
	}
}
