package query

import (
	"path"
	"strings"
)

// PathGlobs makes globs of a path filter: what is no glob means the document
// of this path, or all below this directory.
func PathGlobs(value string) []string {
	if strings.ContainsAny(value, "*?[{") {
		return []string{value}
	}
	below := strings.Trim(path.Clean("/"+value), "/")
	if below == "" {
		return []string{"**"}
	}
	return []string{EscapeGlob(below) + "/**"}
}

// EscapeGlob makes a literal pattern of a path.
func EscapeGlob(p string) string {
	var b strings.Builder
	for _, r := range p {
		if strings.ContainsRune(`*?[]{}\`, r) {
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	return b.String()
}
