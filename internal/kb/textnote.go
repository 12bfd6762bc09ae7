package kb

import (
	"path"
	"strings"
	"time"
)

// IsTextNote reports whether a file is a text note of Denote, which has an identifier such as
// 20240101T120000 at the start of its name. Other text files are not pages.
func IsTextNote(name string) bool {
	const id = "20060102T150405"
	base := path.Base(name)
	if !strings.EqualFold(path.Ext(base), ".txt") || len(base) < len(id) {
		return false
	}
	_, err := time.Parse(id, base[:len(id)])
	return err == nil
}
