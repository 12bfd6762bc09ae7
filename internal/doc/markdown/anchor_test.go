package markdown

import (
	"testing"

	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/kb"
)

func TestHasPart(t *testing.T) {
	t.Parallel()
	d := Codec{}.Parse("x.md", []byte("# The page\n\n## What: is (this)?\n\ntext ^b1\n\n### Deep\n\n## Deep\n\n<a id=\"place\"></a>\n\n## Named {#own}\n\nThe late one, and late.\n<i name=LATE>x</i>\nunquoted id=last\n"))
	for part, want := range map[string]bool{
		"The page": true, "the page": true, "the-page": true, "What is this": true, "What: is (this)?": true, "What is this#Deep": true, "Deep": true, "deep-1": true,
		"place": true, "Place": true, "own": true, "late": true, "last": false, "one": false, "Nope": false, "nope": false, "Deep#Nope": false, "Deep,1": true, "Deep:#*": true, "*": true, "Nope,1": false,
	} {
		if got := d.HasPart(&d.Nodes[0], part, ""); got != want {
			t.Errorf("#%s exists: %v", part, got)
		}
	}
	for block, want := range map[string]bool{"b1": true, "b2": false} {
		if got := d.HasPart(&d.Nodes[0], "", block); got != want {
			t.Errorf("#^%s exists: %v", block, got)
		}
	}
}

func TestRenamedPart(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		syntax          kb.Syntax
		was, now        string
		link, rewritten string // "" stays
	}{
		{"", "## A\n\n## B\n", "## C\n\n## B\n", "[[n#A]]", "[[n#C]]"},
		{"", "## A\n\n## B\n", "## B\n\n## A\n", "[[n#A]]", ""},
		{"", "## A\n\n## B\n", "## B\n", "[[n#A]]", ""},
		{"", "## A\n\n## B\n", "## New\n\n## A\n\n## B\n", "[[n#A]]", ""},
		{"", "## A b\n", "## C [d] | e#f\n", "[x](n.md#a-b)", "[x](n.md#" + doc.Slug("C [d] | e#f") + ")"},
		{"", "## A b\n", "## C [d] | e#f\n", "[[n#A b|x]]", "[[n#C d e f|x]]"},
		{"", "## A b\n", "## C d\n", "[x](n.md#A%20b \"t\")", "[x](n.md#C%20d \"t\")"},
		{"", "## A\n", "## C\n", "[x][r]\n\n[r]: n.md#A \"t\"", "[x][r]\n\n[r]: n.md#C \"t\""},
		{"", "text ^a\n", "text ^b\n", "![[n#^a]]", "![[n#^b]]"},
		{"dendron", "## Head 1\n", "## Head 2\n", "![[n#head-1,1:#*]]", "![[n#head-2,1:#*]]"},
	} {
		codec := Codec{}.In(c.syntax)
		was, now := codec.Parse("n.md", []byte(c.was)), codec.Parse("n.md", []byte(c.now))
		renamed := doc.RenamedParts(was, &was.Nodes[0], now, &now.Nodes[0])
		d := codec.Parse("x.md", []byte(c.link+"\n"))
		var edit doc.RetargetParts
		for _, x := range d.Targets() {
			if at, raw, ok := d.RenamedPart(x, renamed); ok {
				edit.Links = append(edit.Links, doc.RetargetOne{At: at, Raw: raw})
			}
		}
		text, err := codec.Apply(d, "", edit)
		want := c.rewritten
		if want == "" {
			want = c.link
		}
		if err != nil || string(text) != want+"\n" {
			t.Errorf("%q after %q became %q: %q %v, want %q", c.link, c.was, c.now, text, err, want)
		}
	}
}
