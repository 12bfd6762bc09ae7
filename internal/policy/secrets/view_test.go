package secrets

import (
	"bytes"
	"strings"
	"testing"
)

// A page of escapes is read in pieces, and what lies across two is found.
func TestViewsArePieces(t *testing.T) {
	token := "gh" + "p\\_" + newGenerator(41).of(alphaNum, 36)
	for _, before := range []int{0, 1, maxParts - 2, maxParts - 1, maxParts, 2*maxParts - 3, 3 * maxParts} {
		for _, between := range []string{"", strings.Repeat("word ", viewReach/2)} {
			text := []byte("a" + strings.Repeat(`\_`, before) + " " + between + token + " " + between + "b&amp;c")
			at := bytes.Index(text, []byte(token))
			if !covers(Scan(text, Options{}), [2]int{at, at + len(token)}) {
				t.Errorf("behind %d escapes and %d bytes: not found", before, len(between))
			}
		}
	}
	text := bytes.Repeat([]byte(`\_`), 4*maxParts)
	most := 0
	views(text, func(v *view) { most = max(most, len(v.parts)) })
	if most != maxParts {
		t.Errorf("%d parts at a time, want %d", most, maxParts)
	}
}
