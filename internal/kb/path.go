package kb

import (
	"strings"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// FoldPath returns the form in which two paths are equal if a system may take
// them for the same file: those that differ only by case, or by how accents
// are encoded, are the same on macOS and Windows. It folds each part of a path
// by itself: FoldPath("a/b") is FoldPath("a") + "/" + FoldPath("b").
func FoldPath(name string) string {
	if isASCII(name) {
		return strings.ToLower(name)
	}
	// In lower case after folding because cases.Fold exchanges the two cases of
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
