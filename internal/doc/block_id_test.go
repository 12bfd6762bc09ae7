package doc

import (
	"strings"
	"testing"
)

const blocks = "# A\n\nTwo lines\nof one paragraph. ^para\n\n- one ^one\n- two\n  goes on ^Two\n\nA table.\n\n^table\n# B ^b\n"

func TestBlock(t *testing.T) {
	for id, want := range map[string]string{
		"para": "Two lines\nof one paragraph. ^para\n", "one": "- one ^one\n", "two": "- two\n  goes on ^Two\n",
		"table": "A table.\n\n^table\n", "b": "# B ^b\n",
	} {
		span, err := Block([]byte(blocks), Span{0, len(blocks)}, id)
		if err != nil || blocks[span.Start:span.End] != want {
			t.Errorf("%s: %q, %v", id, blocks[span.Start:span.End], err)
		}
	}
	if _, err := Block([]byte(blocks), Span{0, len(blocks)}, "none"); err == nil || !strings.Contains(err.Error(), "^none") {
		t.Errorf("none: %v", err)
	}
}

func FuzzBlock(f *testing.F) {
	f.Add(blocks, "table")
	f.Add("^", "")
	f.Add("^a\n\n^a", "a")
	f.Fuzz(func(t *testing.T, text, id string) {
		span, err := Block([]byte(text), Span{0, len(text)}, id)
		if err == nil && (span.Start < 0 || span.End > len(text) || span.Len() <= 0) {
			t.Errorf("%q in %q is %v", id, text, span)
		}
	})
}
