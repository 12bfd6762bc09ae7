package tokenizer

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// normalize drops unprintable characters, replaces white space by spaces, and
// folds accents and case according to the rules: an accented letter is
// decomposed, and its mark is dropped like a separate one.
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

// lower folds the case of letters without changing their accents. One letter has a lower
// case of two characters.
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

// clean removes and replaces characters, and reports whether the result is ASCII.
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
