package packed_test

import (
	"os"
	"strings"
	"testing"

	"github.com/cairn-kb/cairn/internal/search/embed"
	"github.com/cairn-kb/cairn/internal/search/embed/packed"
)

// BenchmarkMultilingual embeds 32 texts of 128 tokens, as BenchmarkEmbed of package bge
// does: the two models have the same layers.
func BenchmarkMultilingual(b *testing.B) {
	path := os.Getenv("CAIRN_MULTILINGUAL")
	if path == "" {
		b.Skip("CAIRN_MULTILINGUAL does not name the packed model: .ci/multilingual makes it")
	}
	e, err := packed.Open(path, "", 0)
	if err != nil {
		b.Fatal(err)
	}
	texts := make([]string, 32)
	for i := range texts {
		texts[i] = strings.TrimSpace(strings.Repeat("de ", 124)) // and the prefix
	}
	if n, err := e.CountTokens("passage: " + texts[0]); n != 126 {
		b.Fatalf("%d tokens, %v", n, err)
	}
	for b.Loop() {
		if _, err := e.Embed(b.Context(), texts, embed.Passage); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(len(texts)*b.N)/b.Elapsed().Seconds(), "texts/s")
}
