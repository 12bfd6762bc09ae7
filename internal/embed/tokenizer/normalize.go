package tokenizer

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// normalize drops what does not print, makes all white space a space, and
// folds accents and case: an accented letter is taken apart, and its mark is
// dropped like one that was apart before.
func (t *classTable) normalize(text string) string {
	clean, ascii := t.clean(text)
	if ascii {
		return strings.ToLower(clean)
	}
	var b strings.Builder
	b.Grow(len(clean))
	for _, r := range norm.NFD.String(clean) {
		if t.of(r) != drop {
			b.WriteRune(unicode.ToLower(r))
		}
	}
	return b.String()
}

// clean drops and spaces, and says whether only ASCII is left.
func (t *classTable) clean(text string) (clean string, ascii bool) {
	var b strings.Builder
	b.Grow(len(text))
	ascii = true
	for _, r := range text {
		switch t.of(r) { // bytes that are not UTF-8 come as U+FFFD, which is dropped
		case drop:
		case space:
			b.WriteByte(' ')
		default:
			ascii = ascii && r < utf8.RuneSelf
			b.WriteRune(r)
		}
	}
	return b.String(), ascii
}
