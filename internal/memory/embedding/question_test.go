package embedding

import (
	"strings"
	"testing"

	"github.com/cairn-kb/cairn/internal/search/embed"
	"github.com/cairn-kb/cairn/internal/store"
)

// Only long questions to the built-in model go without its prefix.
func TestQuestionKind(t *testing.T) {
	t.Parallel()
	short, long := strings.Repeat("word ", longQuestion-1), strings.Repeat("word ", longQuestion)
	for _, c := range []struct {
		source, text string
		want         embed.Kind
	}{
		{sourceBuiltIn, "", embed.Query},
		{sourceBuiltIn, short, embed.Query},
		{sourceBuiltIn, long, embed.Passage},
		{sourceDirectory, long, embed.Query},
		{SourceOllama, long, embed.Query},
		{SourceOpenAI, long, embed.Query},
	} {
		m := &embedder{of: store.Model{Source: c.source}}
		if got := questionKind(m, c.text); got != c.want {
			t.Errorf("%s, %d bytes: %v, want %v", c.source, len(c.text), got, c.want)
		}
	}
}
