package org

import (
	"strings"

	"github.com/cairn-kb/cairn/internal/doc"
)

// writeLink writes a relation's target: an id, the path of a page, or a title.
func writeLink(target string) string {
	name, _, _ := strings.Cut(target, "::")
	switch {
	case isUUID(name):
		return "[[id:" + escapeLink(target) + "]]"
	case doc.IsPage(name):
		return "[[file:" + escapeLink(target) + "]]"
	}
	return "[[" + escapeLink(target) + "]]"
}
