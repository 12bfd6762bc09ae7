package vault

import (
	"iter"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// FoldPath returns the form in which two paths are equal if a system may take
// them for the same file: those that differ only by case, or by how accents
// are encoded, are the same on macOS and Windows.
func FoldPath(name string) string {
	if isASCII(name) {
		return strings.ToLower(name)
	}
	return norm.NFC.String(cases.Fold().String(norm.NFD.String(name)))
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// Collision returns the first of the existing paths that some system would
// take for the same file as name although they differ, or "". The directories
// of a path count as well: Notes/a.md collides with notes/b.md, since the two
// directories are one there and two elsewhere.
func Collision(existing iter.Seq[string], name string) string {
	mine := elements(name)
	for other := range existing {
		if collides(elements(other), mine) {
			return other
		}
	}
	return ""
}

// element is one name of a path, as written and folded.
type element struct{ raw, folded string }

func elements(name string) []element {
	var all []element
	start := 0
	for i := 0; i <= len(name); i++ {
		if i == len(name) || name[i] == '/' {
			raw := name[start:i]
			all = append(all, element{raw, FoldPath(raw)})
			start = i + 1
		}
	}
	return all
}

func collides(a, b []element) bool {
	for i := range min(len(a), len(b)) {
		if a[i].folded != b[i].folded {
			return false
		}
		if a[i].raw != b[i].raw {
			return true
		}
	}
	return false
}
