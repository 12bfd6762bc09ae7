package kb

import (
	"strings"
	"time"
	"unicode"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// NameKey folds a title, alias or file name to the key that links are resolved
// with. It composes Unicode compatibility forms, folds case, replaces every run
// of separators and punctuation with one hyphen, and removes hyphens and
// pictures at the ends. "Machine Learning", "machine-learning" and "🤖
// machine_learning" share a key. A name of only punctuation and pictures is its
// own key, so that "1*" and "***" can be found.
func NameKey(name string) string {
	if day := journalDay(name); day != "" {
		return day
	}
	if key, ok := asciiKey(name); ok {
		return key
	}
	folded := cases.Fold().String(norm.NFKC.String(withoutPictures(name)))
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

// journalDay returns the date in a name such as "Nov 21st, 2026", as YYYY-MM-DD; ""
// for any other name.
func journalDay(name string) string {
	name = strings.ToLower(strings.TrimSpace(name))
	if len(name) < len("May 1st, 2026") || len(name) > len("September 22nd, 2026") {
		return ""
	}
	monthDay, year, ok := strings.Cut(name, "th, ")
	for _, ending := range []string{"st, ", "nd, ", "rd, "} {
		if !ok {
			monthDay, year, ok = strings.Cut(name, ending)
		}
	}
	if !ok {
		return ""
	}
	for _, layout := range []string{"Jan 2, 2006", "January 2, 2006"} {
		if t, err := time.Parse(layout, monthDay+", "+year); err == nil {
			return t.Format(time.DateOnly)
		}
	}
	return ""
}

// withoutPictures removes the emoji that decorate the ends of a name. A name of
// only emoji is unchanged.
func withoutPictures(name string) string {
	if bare := strings.TrimFunc(name, func(r rune) bool { return isPicture(r) || separates(r) }); bare != "" {
		return bare
	}
	return name
}

// isPicture reports whether r is an emoji or a part of one.
func isPicture(r rune) bool {
	switch {
	case 0x2600 <= r && r <= 0x27BF, 0x2B05 <= r && r <= 0x2B55, 0x1F000 <= r && r <= 0x1FAFF:
		return true
	}
	return r == '\u200d' || r == '\ufe0f' || r == '\u20e3'
}

// separates reports whether r is a separator between the words of a name.
// Symbols such as emoji, '+' and '$' are content.
func separates(r rune) bool {
	return unicode.IsSpace(r) || unicode.IsPunct(r) || unicode.IsControl(r)
}

// asciiKey is NameKey for ASCII names, without the Unicode tables.
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
