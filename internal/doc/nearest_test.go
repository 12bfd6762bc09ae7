package doc_test

import (
	"errors"
	"testing"

	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/doc/markdown"
	"github.com/cairn-kb/cairn/internal/kb"
)

// The error for a text that is not in the page has the difference from the nearest lines, and
// no lines that are the same.
func TestReplaceShowsTheNearestLines(t *testing.T) {
	t.Parallel()
	const text = "# Ada\n\nAda wrote the first program, in 1843.\nIt was for the engine.\nNobody built it.\n\nAda lived in London.\n\n---\nssh key below\nbar\n"
	for _, x := range []struct{ name, old, want string }{
		{"a word is another", "Ada wrote the first program, in 1842.", "@@ line 3 @@\n-Ada wrote the first program, in 1842.\n+Ada wrote the first program, in 1843.\n"},
		{"a part of a line", "the first programs", "@@ line 3 @@\n-the first programs\n+Ada wrote the first program, in 1843.\n"},
		{"several lines", "Ada wrote the first program, in 1843.\nIt was for an engine.\nNobody built it.\n", "@@ line 4 @@\n-It was for an engine.\n+It was for the engine.\n"},
		{"spaces", "It  was for the engine.", "@@ line 4 @@\n-It  was for the engine.\n+It was for the engine.\n"},
		{"a line without words before it", "ssh key below\nfoo", "@@ line 11 @@\n-foo\n+bar\n"},
		{"nothing like it", "Babbage paid for it all himself, and the treasury", ""},
		{"no words", "***", ""},
	} {
		_, err := doc.Perform(markdown.Codec{}, markdown.Codec{}.Parse("a.md", []byte(text)), "", doc.Replace{Old: x.old, New: "x"})
		var missing *doc.NotThere
		if !errors.As(err, &missing) {
			t.Fatalf("%s: %v", x.name, err)
		}
		got := missing.Difference(func(text []byte) []byte { return text })
		if kb.CodeOf(err) != kb.Conflict || got != x.want {
			t.Errorf("%s: %v, got\n%s\nwant\n%s", x.name, err, got, x.want)
		}
	}
}
