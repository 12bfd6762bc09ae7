package kb

import (
	"strings"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// FoldPath returns a form that is equal for two paths that some system may
// treat as the same file. Paths that differ only in case or in the encoding of
// accents are the same file on macOS and Windows. Each element is folded by
// itself: FoldPath("a/b") is FoldPath("a") + "/" + FoldPath("b").
func FoldPath(name string) string {
	if isASCII(name) {
		return strings.ToLower(name)
	}
	// Lower-case after folding, because cases.Fold exchanges the two cases of
	// Cherokee.
	return norm.NFC.String(strings.ToLower(cases.Fold().String(norm.NFD.String(name))))
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}
