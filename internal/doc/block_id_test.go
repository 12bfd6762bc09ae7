package doc_test

import (
	"strings"
	"testing"

	"github.com/cairn-kb/cairn/internal/doc/markdown"
	"github.com/cairn-kb/cairn/internal/doc/org"
)

func TestBlock(t *testing.T) {
	t.Parallel()
	const page = "# A\n\nTwo lines\nof one paragraph. ^para\n\n- one ^one\n- two\n  goes on ^Two\n\nA table.\n\n^table\n# B ^b\n"
	for _, c := range []struct{ name, text, id, want string }{
		{"a paragraph", page, "para", "Two lines\nof one paragraph. ^para\n"},
		{"an item", page, "one", "- one ^one\n"},
		{"an item that goes on", page, "two", "- two\n  goes on ^Two\n"},
		{"the block before the id", page, "table", "A table.\n\n^table\n"},
		{"a heading", page, "b", "# B ^b\n"},
		{"a heading above", "# A\n\n## H\ntext\nmore ^x\n", "x", "text\nmore ^x\n"},
		{"a closed heading above", "## H ##\ntext ^x\n", "x", "text ^x\n"},
		{"an underlined heading above", "Title\nin two\n===\ntext ^x\n", "x", "text ^x\n"},
		{"an underlined heading with the id", "text\n\nTitle ^x\n---\nmore\n", "x", "Title ^x\n---\n"},
		{"frontmatter above", "---\ntags: [a]\n---\ntext ^x\n", "x", "text ^x\n"},
		{"a rule above", "text\n\n---\nmore ^x\n", "x", "more ^x\n"},
		{"a rule of stars above", "text\n* * *\nmore ^x\n", "x", "more ^x\n"},
		{"code above", "```sh\na\n\nb\n```\ntext ^x\n", "x", "text ^x\n"},
		{"an id in code", "```\na ^x\n```\n\ntext ^x\n", "x", "text ^x\n"},
		{"code with an empty line, and the id below", "text\n~~~\na\n\nb\n~~~\n\n^x\n", "x", "~~~\na\n\nb\n~~~\n\n^x\n"},
		{"code in an item", "- one\n  ```\n  a\n\n  # b\n  ```\n  two ^x\n", "x", "- one\n  ```\n  a\n\n  # b\n  ```\n  two ^x\n"},
		{"code after the id in an outline", "- one\n  id:: x\n  ```\n  - a\n\n  b\n  ```\n  two\n- three\n", "x", "- one\n  id:: x\n  ```\n  - a\n\n  b\n  ```\n  two\n"},
		{"a formula above", "$$\na\n\nb\n$$\ntext ^x\n", "x", "text ^x\n"},
		{"a formula in a line", "text\n$$a$$ is it ^x\n", "x", "text\n$$a$$ is it ^x\n"},
		{"a comment above", "<!-- a\n\nb -->\ntext ^x\n", "x", "text ^x\n"},
		{"a comment of one line above", "%% a %%\ntext ^x\n", "x", "text ^x\n"},
		{"a mark that nothing closes", "text\n%% more ^x\n", "x", "text\n%% more ^x\n"},
		{"a quotation", "text\n> one\n> two ^x\n", "x", "> one\n> two ^x\n"},
		{"a quotation that goes on", "> one\ntwo ^x\n", "x", "> one\ntwo ^x\n"},
		{"a table", "text\n| a |\n| - |\n| b |\n^x\n", "x", "| a |\n| - |\n| b |\n^x\n"},
		{"dots", "text\n... and more ^x\n", "x", "text\n... and more ^x\n"},
	} {
		d := markdown.Codec{}.Parse("a.md", []byte(c.text))
		span, err := d.Block(&d.Nodes[0], c.id)
		if err != nil || d.Slice(span) != c.want {
			t.Errorf("%s: %q, %v", c.name, d.Slice(span), err)
		}
	}
	d := markdown.Codec{}.Parse("a.md", []byte(page))
	if _, err := d.Block(&d.Nodes[0], "none"); err == nil || !strings.Contains(err.Error(), "^none") {
		t.Errorf("none: %v", err)
	}
	d = org.Codec{}.Parse("a.org", []byte("* A\n** B\n:PROPERTIES:\n:X: y\n:END:\n#+begin_src sh\na\n#+end_src\ntext ^x\n"))
	if span, err := d.Block(&d.Nodes[0], "x"); err != nil || d.Slice(span) != "text ^x\n" {
		t.Errorf("Org: %q, %v", d.Slice(span), err)
	}
}

func FuzzBlock(f *testing.F) {
	f.Add("# A\n\ntext ^x\n\n| a |\n\n^table\n", "table")
	f.Add("^", "")
	f.Add("^a\n\n^a", "a")
	f.Add("a\n===\n```\n^a\n```\n- b\n  id:: a\n  $$\n", "a")
	f.Fuzz(func(t *testing.T, text, id string) {
		d := markdown.Codec{}.Parse("a.md", []byte(text))
		span, err := d.Block(&d.Nodes[0], id)
		if err == nil && (span.Start < 0 || span.End > len(d.Text) || span.Len() <= 0) {
			t.Errorf("%q in %q is %v", id, text, span)
		}
	})
}
