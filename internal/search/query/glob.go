package query

import (
	"path"
	"strings"

	"github.com/cairn-kb/cairn/internal/kb/glob"
)

// IsGlob reports whether the value of a path filter is a pattern: it holds one of
// *?[{, and can be read as one. Any other is a path as it stands.
func IsGlob(value string) bool {
	return strings.ContainsAny(value, "*?[{") && (len(value) > glob.MaxLen || glob.Valid(value))
}

// PathGlobs makes globs of a path filter: what is no glob means the document
// of this path, or all below this directory.
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
