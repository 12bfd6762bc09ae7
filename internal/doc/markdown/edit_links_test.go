package markdown_test

import (
	"testing"

	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/doc/markdown"
)

// A deletion shifts the links that follow it; they are the same links all the
// same.
func TestEditsThatShortenBeforeALink(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		text string
		edit doc.Edit
		want string
	}{
		"metadata": {
			"---\ntitle: abcdefghijklmnopqrstuvwxyz\nup: \"[[R]]\"\n---\nSee [[S]].\n",
			doc.SetProperty{Key: "title", Value: "a"},
			"---\ntitle: a\nup: \"[[R]]\"\n---\nSee [[S]].\n",
		},
		"section": {
			"# A\n\nA long text that goes away.\n\n# B\n\n[[S]] and [t](u.md).\n",
			doc.ReplaceSection{Section: "A", Text: "x\n"},
			"# A\n\nx\n\n# B\n\n[[S]] and [t](u.md).\n",
		},
		"removed key": {
			"---\ndescription: a very long description of the page\n---\n[[S]]\n",
			doc.RemoveProperty{Key: "description"},
			"---\n---\n[[S]]\n",
		},
	} {
		c := markdown.Codec{}
		got, err := c.Apply(c.Parse("a.md", []byte(tc.text)), "", tc.edit)
		if err != nil {
			t.Errorf("%s: %v", name, err)
		} else if string(got) != tc.want {
			t.Errorf("%s: %q, want %q", name, got, tc.want)
		}
	}
}
