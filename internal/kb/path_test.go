package kb_test

import (
	"testing"

	"github.com/cairn-kb/cairn/internal/kb"
)

func TestFoldPath(t *testing.T) {
	t.Parallel()
	for name, other := range map[string]string{
		"Notes/A.md": "notes/a.MD",
		"e\u0301.md": "\u00c9.md",
		"STRASSE":    "stra\u00dfe",
		"\u03a3":     "\u03c2",
		"\u13d3":     "\uaba3",
	} {
		if kb.FoldPath(name) != kb.FoldPath(other) {
			t.Errorf("%q folds to %q, %q to %q", name, kb.FoldPath(name), other, kb.FoldPath(other))
		}
	}
	for name, other := range map[string]string{"a": "b", "a/b": "a-b", "e": "\u00e9"} {
		if kb.FoldPath(name) == kb.FoldPath(other) {
			t.Errorf("%q and %q fold alike", name, other)
		}
	}
}

func FuzzFoldPath(f *testing.F) {
	for _, s := range []string{"a/B", "e\u0301", "İı", "ſ", "K", "ǅ", "\u0345", "\u13d3", "\uaba3"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		folded := kb.FoldPath(s)
		if again := kb.FoldPath(folded); again != folded {
			t.Errorf("%q folds to %q, and that to %q", s, folded, again)
		}
		// Parts fold by themselves: directories are compared by prefix.
		if both := kb.FoldPath(s + "/" + s); both != folded+"/"+folded {
			t.Errorf("%q folds to %q, twice to %q", s, folded, both)
		}
	})
}
