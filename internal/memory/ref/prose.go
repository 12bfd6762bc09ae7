package ref

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// ReadsAsText reports whether a ref looks like a text given without a page
// name: it has a blank and ends in punctuation, or it has several lines.
func ReadsAsText(raw string) bool {
	raw = strings.TrimSpace(raw)
	if strings.ContainsAny(raw, "\r\n") {
		return true
	}
	last, _ := utf8.DecodeLastRuneInString(strings.TrimRight(raw, `"')]*_”’»）」』`+"`"))
	if strings.ContainsRune("。！？", last) {
		return true // of languages that write without blanks
	}
	return strings.ContainsRune(".!?…:;,", last) && strings.ContainsFunc(raw, unicode.IsSpace)
}
