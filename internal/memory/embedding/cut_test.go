package embedding

import (
	"fmt"
	"strings"
	"testing"

	"github.com/cairn-kb/cairn/internal/doc/chunk"
	"github.com/cairn-kb/cairn/internal/doc/markdown"
	"github.com/cairn-kb/cairn/internal/search/embed"
)

// terse takes few tokens, which are words, and line feeds if it counts lines.
type terse struct {
	embed.Embedder
	most  int
	lines bool
}

func (t terse) MaxTokens() int { return t.most }

func (t terse) CountTokens(text string) (int, error) {
	n := len(strings.Fields(text))
	if t.lines {
		n += strings.Count(text, "\n")
	}
	return n, nil
}

// No chunk is longer than the model takes, also where that is less than chunks
// have otherwise; and the words of the page are in them.
func TestCutForAModelThatTakesLittle(t *testing.T) {
	t.Parallel()
	var text strings.Builder
	text.WriteString("# Engines\n\n")
	for i := range 200 {
		fmt.Fprintf(&text, "The engine of number n%d has a mill and a store, and cards that drive it.%s", i, []string{" ", "\n", "\n\n"}[i%3])
	}
	d := markdown.Codec{}.Parse("engines.md", []byte(text.String()))
	usual, _ := chunk.Split(d, 0, ChunkOptions())
	for most, same := range map[int]bool{32: false, 126: false, 254: false, 510: true} {
		chunks, left, err := Cut(terse{most: most}, d, 0)
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

// A model may count what stands between the parts of a chunk, too.
func TestCutForAModelThatCountsLines(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"paragraphs": strings.Repeat("a b\n\n", 1000),
		"a table":    strings.Repeat("| a | b |\n", 1000),
		"both":       strings.Repeat("The engine has a mill and a store. ", 100) + "\n\n" + strings.Repeat("a\n\n", 1000),
	} {
		for _, most := range []int{64, 254, 510} {
			m := terse{most: most, lines: true}
			chunks, _, err := Cut(m, markdown.Codec{}.Parse("lines.md", []byte(text)), 0)
			longest, counted := longestOf(m, chunks)
			if err != nil || counted != nil || longest > most || len(chunks) > 60*510/most {
				t.Errorf("%s, a model that takes %d: %d chunks, the longest of %d, %v %v", name, most, len(chunks), longest, err, counted)
			}
		}
	}
}
