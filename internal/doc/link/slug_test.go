package link_test

import (
	"testing"

	"github.com/cairn-kb/cairn/internal/doc/link"
)

func TestSlug(t *testing.T) {
	t.Parallel()
	for path, want := range map[string]string{
		"a.md": "a", "d/a.b.md": "d/a.b", "a.MD": "a", "a.markdown": "a", "a.org": "a", "a.txt": "a.txt", "d.md/a": "d.md/a",
		"e\u0301.md": "\u00e9", ".md": ".md", "d/.md": "d/.md", "a": "a", "a.md.md": "a.md",
	} {
		if got := link.Slug(path); got != want {
			t.Errorf("%q has slug %q, want %q", path, got, want)
		}
	}
}
