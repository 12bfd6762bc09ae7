package temporal_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/doc/markdown"
	"github.com/cairn-kb/cairn/internal/doc/temporal"
)

// The documentation, as pages with a relation, so that every sentence may have a name.
func BenchmarkEndings(b *testing.B) {
	files, err := filepath.Glob("../../../docs/*.md")
	if err != nil || len(files) == 0 {
		b.Fatal(err)
	}
	size, all := 0, []temporal.Prose{}
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			b.Fatal(err)
		}
		size += len(text)
		d := markdown.Codec{}.Parse(filepath.Base(f), text)
		all = append(all, temporal.Prose{Cues: temporal.Find(d, 0), Names: []temporal.Name{{Text: "Brex", Link: 0}}, Mentions: []temporal.Mention{{Span: doc.Span{}}}})
	}
	b.SetBytes(int64(size))
	for b.Loop() {
		for _, p := range all {
			temporal.Endings(p)
		}
	}
}
