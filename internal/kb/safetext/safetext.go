package safetext

import (
	"strings"
	"unicode/utf8"
)

// Text replaces every rune that would move the cursor, change colours, reorder
// the line or be invisible with a visible symbol. Newlines and tabs stay; CR LF
// becomes a newline.
//
// Documents are untrusted: a note must not be able to hide or forge text on the
// reader's screen.
func Text(text string) string { return clean(text, true) }

// Line is Text for one line: newlines and tabs become spaces.
func Line(text string) string { return clean(text, false) }

func clean(text string, lines bool) string {
	if plain(text) {
		return text
	}
	var b strings.Builder
	b.Grow(len(text))
	for i := 0; i < len(text); {
		r, n := utf8.DecodeRuneInString(text[i:])
		crlf := strings.HasPrefix(text[i:], "\r\n")
		i += n
		switch {
		case r == utf8.RuneError && n == 1:
			b.WriteRune(utf8.RuneError)
		case crlf && lines: // the line end follows
		case (r == '\n' || r == '\t') && lines:
			b.WriteRune(r)
		case r == '\n' || r == '\t' || r == '\r' && !lines:
			b.WriteByte(' ')
		case r < 0x20:
			b.WriteRune('\u2400' + r) // the control pictures: ␛ for ESC
		case r == 0x7f:
			b.WriteRune('\u2421')
		case Dangerous(r):
			b.WriteRune(utf8.RuneError)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// plain reports whether text is printable ASCII, as most text is.
func plain(text string) bool {
	for i := range len(text) {
		if text[i] < 0x20 || text[i] > 0x7e {
			return false
		}
	}
	return true
}

// Dangerous reports whether a rune controls a terminal or the order or
// visibility of text: C0 and C1 controls, the marks, embeddings, overrides
// and isolates of bidirectional text, line and paragraph separators, and tags.
// Joiners stay: scripts and emoji need them.
func Dangerous(r rune) bool {
	switch {
	case r < 0x20, r >= 0x7f && r <= 0x9f:
		return true
	case r == 0x061c, r == 0x200e, r == 0x200f, r >= 0x2028 && r <= 0x202e, r >= 0x2066 && r <= 0x2069:
		return true
	case r >= 0xe0000 && r <= 0xe007f, r == 0xfeff:
		return true
	}
	return false
}
