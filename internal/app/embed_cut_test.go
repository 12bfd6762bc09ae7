package app

import (
	"fmt"
	"strings"
	"testing"

	"github.com/cairn-kb/cairn/internal/chunk"
	"github.com/cairn-kb/cairn/internal/doc/markdown"
	"github.com/cairn-kb/cairn/internal/embed"
)

// terse takes few tokens, which are words.
type terse struct {
	embed.Embedder
	most int
}

func (t terse) MaxTokens() int                     { return t.most }
func (terse) CountTokens(text string) (int, error) { return len(strings.Fields(text)), nil }

// No chunk is longer than the model takes, also where that is less than chunks
// have otherwise; and the words of the page are in them.
func TestCutForAModelThatTakesLittle(t *testing.T) {
	var text strings.Builder
	text.WriteString("# Engines\n\n")
	for i := range 200 {
		fmt.Fprintf(&text, "The engine of number n%d has a mill and a store, and cards that drive it.%s", i, []string{" ", "\n", "\n\n"}[i%3])
	}
	d := markdown.Codec{}.Parse("engines.md", []byte(text.String()))
	usual, _ := chunk.Split(d, 0, chunkOptions())
	for most, same := range map[int]bool{32: false, 126: false, 254: false, 510: true} {
		chunks, left, err := cut(terse{most: most}, d, 0)
		if err != nil || left > 0 {
			t.Fatal(err, left)
		}
		all := ""
		for _, c := range chunks {
			if n := len(strings.Fields(c.Text)); n > most {
				t.Errorf("a model that takes %d: a chunk of %d", most, n)
			}
			all += c.Text + " "
		}
		for i := range 200 {
			if !strings.Contains(all, fmt.Sprintf(" n%d ", i)) {
				t.Errorf("a model that takes %d: n%d is in no chunk", most, i)
			}
		}
		if got := len(chunks) == len(usual); got != same {
			t.Errorf("a model that takes %d: %d chunks, and %d otherwise", most, len(chunks), len(usual))
		}
	}
}
