package secrets

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
)

// A page of escapes is read in pieces, and what lies across two is found.
func TestViewsArePieces(t *testing.T) {
	t.Parallel()
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
	(&view{text: text}).views(func(v *view) { most = max(most, len(v.parts)) })
	if most != maxParts {
		t.Errorf("%d parts at a time, want %d", most, maxParts)
	}
}

// Metadata is a string of YAML with Markdown in it, so both are decoded. The
// bytes that are hidden are those of the document.
func TestEncodedTwice(t *testing.T) {
	t.Parallel()
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

// What is shown as one word is read as one, whatever stands in it that is not shown.
func TestOneWordToAReader(t *testing.T) {
	t.Parallel()
	token := "gh" + "p_" + newGenerator(47).of(alphaNum, 36)
	mathematics := strings.Map(func(r rune) rune {
		switch {
		case r >= 'A' && r <= 'Z':
			return 0x1d400 + r - 'A'
		case r >= 'a' && r <= 'z':
			return 0x1d41a + r - 'a'
		case r >= '0' && r <= '9':
			return 0x1d7ce + r - '0'
		}
		return r
	}, token)
	for name, encoded := range map[string]string{
		"struck out":          token[:9] + "~~" + token[9:15] + "~~" + token[15:],
		"highlighted":         token[:9] + "==" + token[9:15] + "==" + token[15:],
		"a link":              token[:9] + "](x.md)" + token[9:],
		"a link in a word":    token[:9] + "[" + token[9:15] + "](<x y>)" + token[15:],
		"a link by a name":    token[:9] + "[" + token[9:15] + "][x]" + token[15:],
		"brackets":            token[:9] + "[" + token[9:15] + "]" + token[15:],
		"turned around":       token[:9] + "\u202d" + token[9:15] + "\u202c" + token[15:],
		"isolated":            token[:9] + "\u2066" + token[9:15] + "\u2069" + token[15:],
		"an Arabic mark":      token[:9] + "\u061c" + token[9:],
		"a Hangul filler":     token[:9] + "\u3164" + token[9:],
		"a variation":         token[:9] + "\ufe0f" + token[9:],
		"a tag":               token[:9] + "\U000e0041" + token[9:],
		"letters of formulas": mathematics,
		"an octal escape":     strings.Replace(token, "_", `\137`, 1),
		"a point of code":     strings.Replace(token, "_", `\u{5f}`, 1),
		"a long escape":       strings.Replace(token, "_", `\U0000005f`, 1),
	} {
		text := []byte("see " + encoded + " there\n")
		if !covers(Scan(text, Options{}), [2]int{4, 4 + len(encoded)}) {
			t.Errorf("%s: %s is not found", name, encoded)
		}
		if hidden := Hide(text); bytes.Contains(hidden, []byte(token[16:])) || bytes.Contains(hidden, []byte(mathematics[40:])) {
			t.Errorf("%s: what is hidden is %s", name, hidden)
		}
	}
	for _, text := range []string{"a~b", "x[1]", "[a](", "[a][", "a](b", "]", "[", "\\u{", "\\u{110000000}", "\\19", "\\3", "\\U0000005", "a==", "==b"} {
		if found := Scan([]byte(text), Options{}); len(found) > 0 {
			t.Errorf("%s: %+v", text, found)
		}
	}
}
