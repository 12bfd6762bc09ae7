package doc

import (
	"path"
	"slices"
	"strings"
)

// ForPath returns the codec whose extension the path has, in any case, or nil
// when it is no document's name.
func ForPath(codecs []Codec, name string) Codec {
	ext := strings.ToLower(path.Ext(name))
	for _, c := range codecs {
		if slices.Contains(c.Extensions(), ext) {
			return c
		}
	}
	return nil
}
