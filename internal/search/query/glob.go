package query

import (
	"path"
	"strings"

	"github.com/cairn-kb/cairn/internal/kb/glob"
)

// IsGlob reports whether the value of a path filter is a pattern: it contains one of *?[{,
// and is a valid pattern. Any other value is a literal path.
func IsGlob(value string) bool {
	return strings.ContainsAny(value, "*?[{") && (len(value) > glob.MaxLen || glob.Valid(value))
}

// PathGlobs converts a path filter to globs: a literal path matches the
// document at that path, or all documents below that directory.
func PathGlobs(value string) []string {
	if IsGlob(value) {
		return []string{value}
	}
	below := strings.Trim(path.Clean("/"+value), "/")
	if below == "" {
		return []string{"**"}
	}
	return []string{glob.Escape(below) + "/**"}
}
