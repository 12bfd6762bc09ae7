package postgres

import (
	"strings"
	"unicode/utf8"
)

// PostgreSQL refuses text with NUL and with invalid UTF-8. Each such byte b is stored as the
// private character escapeBase + b, and the bytes of those characters themselves likewise, so
// that all text comes back as it was given. The mapping is by character: prefixes, equality
// and the order of all other text stay the same.
const escapeBase = 0x10fe00

func escaping(r rune) bool { return r >= escapeBase && r <= escapeBase+0xff }

// escape returns s as text that PostgreSQL takes.
func escape(s string) string {
	if plain(s) {
		return s
	}
	var b strings.Builder
	for s != "" {
		r, size := utf8.DecodeRuneInString(s)
		if r == 0 || r == utf8.RuneError && size == 1 || escaping(r) {
			for i := range size {
				b.WriteRune(escapeBase + rune(s[i]))
			}
		} else {
			b.WriteString(s[:size])
		}
		s = s[size:]
	}
	return b.String()
}

func plain(s string) bool {
	return strings.IndexByte(s, 0) < 0 && utf8.ValidString(s) && !strings.Contains(s, escapeStart)
}

// escapeStart begins the UTF-8 of all escaping characters, and of few others.
const escapeStart = "\xf4\x8f"

// unescape returns what escape was given.
func unescape(s []byte) string {
	text := string(s)
	if !strings.Contains(text, escapeStart) {
		return text
	}
	var b strings.Builder
	for _, r := range text {
		if escaping(r) {
			b.WriteByte(byte(r - escapeBase))
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}
