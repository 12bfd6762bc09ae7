package kb

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// CheckJSON rejects JSON text that Go would silently change: invalid UTF-8 and
// half of a surrogate pair become U+FFFD. The error is Usage and has the
// position.
func CheckJSON(json []byte) error {
	for i := 0; i < len(json); {
		size := 1
		switch c := json[i]; {
		case c == '\\':
			if size = escape(json[i:]); size == 0 {
				return notText(i, "half of a surrogate pair is not a character")
			}
		case c >= utf8.RuneSelf:
			var r rune
			if r, size = utf8.DecodeRune(json[i:]); r == utf8.RuneError && size == 1 {
				return notText(i, "the bytes are not UTF-8")
			}
		}
		i += size
	}
	return nil
}

// CheckUTF8 is CheckJSON for plain text.
func CheckUTF8(text string) error {
	for i, r := range text {
		if r == utf8.RuneError {
			if _, size := utf8.DecodeRuneInString(text[i:]); size == 1 {
				return notText(i, "the bytes are not UTF-8")
			}
		}
	}
	return nil
}

func notText(at int, why string) error {
	return Errorf(Usage, "invalid text at byte %d: %s", at, why).With("byte", at).WithHint("Send text as UTF-8.")
}

// escape returns the length of the escape sequence at the start of a text, 0
// for half of a surrogate pair. Invalid escapes are left to the parser.
func escape(text []byte) int {
	high := unit(text)
	switch {
	case high < 0:
		return 2
	case high < 0xd800 || high > 0xdfff:
		return 6
	case high > 0xdbff:
		return 0
	}
	if low := unit(text[6:]); low < 0xdc00 || low > 0xdfff {
		return 0
	}
	return 12
}

// unit returns the value of the \uXXXX escape at the start of a text, or -1.
func unit(text []byte) int {
	if len(text) < 6 || text[0] != '\\' || text[1] != 'u' {
		return -1
	}
	n, err := strconv.ParseUint(string(text[2:6]), 16, 16)
	if err != nil {
		return -1
	}
	return int(n)
}

// Listed joins names as in a sentence: "a, b, c".
func Listed[T ~string](names []T) string {
	parts := make([]string, len(names))
	for i, n := range names {
		parts[i] = string(n)
	}
	return strings.Join(parts, ", ")
}
