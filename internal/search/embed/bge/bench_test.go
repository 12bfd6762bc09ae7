//go:build !slim

package bge

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/cairn-kb/cairn/internal/search/embed"
	"github.com/cairn-kb/cairn/internal/search/embed/kernel"
)

// BenchmarkEmbed reports sentences a second. -cpu sets the threads, CAIRN_CPU
// the kernels; bench/peers/onnxruntime_embed.py does the same shapes with
// ONNX Runtime.
func BenchmarkEmbed(b *testing.B) {
	for _, shape := range []struct{ texts, tokens int }{{1, 16}, {1, 128}, {1, 512}, {32, 16}, {32, 128}} {
		b.Run(fmt.Sprintf("%dx%d", shape.texts, shape.tokens), func(b *testing.B) {
			e := newEmbedder(b, os.Getenv(kernel.EnvVar))
			texts := make([]string, shape.texts)
			for i := range texts {
				texts[i] = strings.TrimSpace(strings.Repeat("stone ", shape.tokens-2))
			}
			if _, err := e.Embed(b.Context(), texts, embed.Passage); err != nil {
				b.Fatal(err)
			}
			for b.Loop() {
				if _, err := e.Embed(b.Context(), texts, embed.Passage); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(shape.texts*b.N)/b.Elapsed().Seconds(), "texts/s")
		})
	}
}
