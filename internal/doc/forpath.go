package doc

import (
	"path"
	"slices"
	"strings"

	"github.com/cairn-kb/cairn/internal/kb"
)

// pageExtensions are the file name extensions of pages of any format.
var pageExtensions = []string{".md", ".markdown", ".org", ".canvas"}

// IsPage reports whether a file of this name is a page of some format, so that
// a link to it is a link to a page. Formats are recognised by extension, in any
// case.
func IsPage(name string) bool {
	return slices.Contains(pageExtensions, strings.ToLower(path.Ext(name))) || kb.IsTextNote(name)
}

// ForPath returns the codec for the extension of a slash-separated path, in any
// case, or nil for files that are not documents.
func ForPath(codecs []Codec, name string) Codec {
	base := path.Base(name)
	ext := strings.ToLower(path.Ext(base))
	if ext == strings.ToLower(base) || ext == ".txt" && !kb.IsTextNote(base) { // a hidden file without extension, or other text
		return nil
	}
	for _, c := range codecs {
		if slices.Contains(c.Extensions(), ext) {
			return c
		}
	}
	return nil
}

// ForNote is ForPath for a note of the index, in the syntax of its space. A path without a
// codec, in a damaged index, gets the first codec: a later comparison then detects the
// damage.
func ForNote(codecs []Codec, syntax kb.Syntax, name string) Codec {
	if c := ForPath(codecs, name); c != nil {
		return c.In(syntax)
	}
	return codecs[0].In(syntax)
}
