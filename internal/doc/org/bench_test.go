package org

import (
	"strings"
	"testing"
)

// BenchmarkParse reads a file of a hundred ordinary pages.
func BenchmarkParse(b *testing.B) {
	source := []byte(strings.Repeat(page[strings.Index(page, "Body"):], 100))
	b.SetBytes(int64(len(source)))
	for b.Loop() {
		Codec{}.Parse("a.org", source)
	}
}
