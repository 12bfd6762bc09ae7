package secrets

import (
	"bytes"
	"fmt"
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

// Metadata is a string of YAML with Markdown in it, so both are decoded. The
// bytes that are hidden are those of the document.
func TestEncodedTwice(t *testing.T) {
	token := "gh" + "p_" + newGenerator(43).of(alphaNum, 36)
	for name, encoded := range map[string]string{
		"Markdown in YAML":        strings.Replace(token, "_", `\\_`, 1),
		"reference in JSON":       strings.Replace(token, "_", `\u0026#95;`, 1),
		"JSON in JSON":            strings.Replace(token, "_", `\\u005f`, 1),
		"invisible in YAML":       token[:9] + `\u200b` + token[9:],
		"wide in YAML":            token[:9] + `\uff` + fmt.Sprintf("%02x", token[9]-'!'+1) + token[10:],
		"reference in a URL":      strings.Replace(token, "_", "%26%2395%3B", 1),
		"markup in a JSON string": token[:9] + `\u003cb\u003e` + token[9:],
	} {
		before := "---\ntitle: \"T "
		text := []byte(before + encoded + "\"\n---\ntext\n")
		if !covers(Scan(text, Options{}), [2]int{len(before), len(before) + len(encoded)}) {
			t.Errorf("%s: %s is not found", name, encoded)
		}
		if hidden := Hide(text); bytes.Contains(hidden, []byte(token[10:])) {
			t.Errorf("%s: what is hidden is %s", name, hidden)
		}
	}
}
