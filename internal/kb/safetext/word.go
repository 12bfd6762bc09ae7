package safetext

import (
	"strings"
	"unicode"
)

// Word quotes a text as one word of a POSIX command line. The result is on one
// line: a file may have any name, and the line may be a part of an agent's
// instructions.
func Word(text string) string {
	text = Line(text)
	plain := func(r rune) bool {
		return unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune("-_./:", r)
	}
	if text != "" && strings.IndexFunc(text, func(r rune) bool { return !plain(r) }) < 0 {
		return text
	}
	return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
}
