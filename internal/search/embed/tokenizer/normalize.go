package tokenizer

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// normalize drops what does not print, makes all white space a space, and
// folds accents and case as the rules say: an accented letter is taken apart,
// and its mark is dropped like one that was apart before.
func (t *classTable) normalize(text string, rules Rules) string {
	clean, ascii := t.clean(text, rules)
	switch {
	case ascii && rules.KeepCase:
		return clean
	case ascii:
		return strings.ToLower(clean)
	case rules.KeepAccents && rules.KeepCase:
		return clean
	case rules.KeepAccents:
		return lower(clean)
	}
	var b strings.Builder
	b.Grow(len(clean))
	for _, r := range norm.NFD.String(clean) {
		if t.of(r) == drop {
			continue
		}
		if !rules.KeepCase {
			r = unicode.ToLower(r)
		}
		b.WriteRune(r)
	}
	return b.String()
}

// lower folds the case of letters that keep their accents. There is one whose
// small form is two characters.
func lower(text string) string {
	var b strings.Builder
	b.Grow(len(text))
	for _, r := range text {
		if r == 'İ' {
			b.WriteString("i\u0307")
			continue
		}
		b.WriteRune(unicode.ToLower(r))
	}
	return b.String()
}

// clean drops and spaces, and says whether only ASCII is left.
func (t *classTable) clean(text string, rules Rules) (clean string, ascii bool) {
	var b strings.Builder
	b.Grow(len(text))
	ascii = true
	for _, r := range text {
		switch t.of(r) { // bytes that are not UTF-8 come as U+FFFD, which is dropped
		case drop:
			if rules.KeepAccents && unicode.Is(unicode.Mn, r) {
				ascii = false
				b.WriteRune(r)
			}
		case space:
			b.WriteByte(' ')
		default:
			ascii = ascii && r < utf8.RuneSelf
			b.WriteRune(r)
		}
	}
	return b.String(), ascii
}
