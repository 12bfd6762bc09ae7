package temporal

import (
	"slices"
	"strings"
	"testing"
)

// Every cue is found at the beginning, within and at the end of a text, with any blanks.
func TestCuesIn(t *testing.T) {
	t.Parallel()
	for _, c := range slices.Concat(table().lists...) {
		for _, text := range []string{c.text, strings.TrimSpace(c.text), ". " + c.text, ". " + c.text + "x", strings.ReplaceAll(". "+c.text+" ", " ", "\n")} {
			want := strings.Index(" "+strings.ReplaceAll(text, "\n", " ")+" ", c.text) - 1
			found := false
			for at, cue := range cuesIn([]byte(text)) {
				found = found || at == want && cue.text == c.text
			}
			if !found {
				t.Errorf("%q is not found at %d of %q", c.text, want, text)
			}
		}
	}
}
