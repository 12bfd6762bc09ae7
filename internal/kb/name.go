package kb

import (
	"strings"
	"unicode"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// NameKey folds a title, alias or file name to the key by which links find
// it: Unicode compatibility composed and case folded, with every run of
// separators and punctuation as one hyphen, none at the ends. "Machine
// Learning", "machine-learning" and "machine_learning" share a key. A name
// made of nothing but punctuation is its own key, so that "1*" and "***" stay
// findable.
func NameKey(name string) string {
	if key, ok := asciiKey(name); ok {
		return key
	}
	folded := cases.Fold().String(norm.NFKC.String(name))
	var b strings.Builder
	b.Grow(len(folded))
	gap := false
	for _, r := range folded {
		if separates(r) {
			gap = true
			continue
		}
		if gap && b.Len() > 0 {
			b.WriteByte('-')
		}
		gap = false
		b.WriteRune(r)
	}
	if b.Len() == 0 {
		return strings.TrimSpace(folded)
	}
	return b.String()
}

// separates reports whether r only parts the words of a name. Symbols such as
// emoji, '+' and '$' are content.
func separates(r rune) bool {
	return unicode.IsSpace(r) || unicode.IsPunct(r) || unicode.IsControl(r)
}

// asciiKey is NameKey for names that are ASCII, without the Unicode tables.
func asciiKey(name string) (string, bool) {
	for i := range len(name) {
		if name[i] >= 0x80 {
			return "", false
		}
	}
	out := make([]byte, 0, len(name))
	gap := false
	for i := range len(name) {
		c := name[i]
		switch {
		case 'A' <= c && c <= 'Z':
			c += 'a' - 'A'
		case separates(rune(c)):
			gap = true
			continue
		}
		if gap && len(out) > 0 {
			out = append(out, '-')
		}
		gap = false
		out = append(out, c)
	}
	if len(out) == 0 {
		return strings.TrimSpace(strings.ToLower(name)), true
	}
	return string(out), true
}
