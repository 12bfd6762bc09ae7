package doc_test

import (
	"strings"
	"testing"

	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/doc/markdown"
	"github.com/cairn-kb/cairn/internal/doc/org"
	"github.com/cairn-kb/cairn/internal/kb"
)

const partsPage = "# P\n\nold start\n\n## A\n\nold one\nold two ^para\n\n- milk ^m\n- [ ] eggs\n  old ^e\n\n| old |\n\n^table\n\n## B\n\nold\n"

// What stands beside a block stays where it is, and a heading stays one.
func TestReplacingABlock(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ name, page, now string }{
		{"below a heading", "# P\n\n## H\nold ^x\n\n## B\n", "# P\n\n## H\nnew ^x\n\n## B\n"},
		{"below an underlined heading", "H\n===\nold ^x\n", "H\n===\nnew ^x\n"},
		{"below a rule", "one\n\n---\nold ^x\n", "one\n\n---\nnew ^x\n"},
		{"below code", "```\na\n\nb\n```\nold ^x\n", "```\na\n\nb\n```\nnew ^x\n"},
		{"below frontmatter", "---\nid: a\n---\nold ^x\n", "---\nid: a\n---\nnew ^x\n"},
		{"code", "```\na\n\nb\n```\n\n^x\n\nc\n", "new\n\n^x\n\nc\n"},
		{"a heading", "## H ^x\ntext\n", "## new ^x\n\ntext\n"},
		{"an underlined heading", "H ^x\n---\ntext\n", "## new ^x\n\ntext\n"},
	} {
		edit, err := doc.Within("^x", doc.ReplaceSection{Text: "new"})
		if err != nil {
			t.Fatal(err)
		}
		codec := markdown.Codec{}
		got, err := codec.Apply(codec.Parse("p.md", []byte(tc.page)), "", edit)
		if err != nil || string(got) != tc.now {
			t.Errorf("%s: %q, %v", tc.name, got, err)
		}
	}
}

func TestEditsOfAPart(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name, part string
		edit       doc.Edit
		was, now   string // what of the page is replaced by what
	}{
		{"find in a section", "B", doc.Replace{Old: "old", New: "new"}, "## B\n\nold", "## B\n\nnew"},
		{"find a heading", "B", doc.Replace{Old: "## B", New: "## C"}, "## B", "## C"},
		{"find in a block", "^para", doc.Replace{Old: "old", New: "new", Expect: 2}, "old one\nold two", "new one\nnew two"},
		{"replace a section", "B", doc.ReplaceSection{Text: "new"}, "## B\n\nold", "## B\n\nnew"},
		{"replace a paragraph", "^para", doc.ReplaceSection{Text: "new"}, "old one\nold two ^para", "new ^para"},
		{"replace with the id", "^para", doc.ReplaceSection{Text: "new ^para"}, "old one\nold two ^para", "new ^para"},
		{"replace with code", "^para", doc.ReplaceSection{Text: "```\nx\n```"}, "old one\nold two ^para", "```\nx\n```\n\n^para"},
		{"replace an item", "^m", doc.ReplaceSection{Text: "oats"}, "- milk ^m", "- oats ^m"},
		{"replace an item by one", "^M", doc.ReplaceSection{Text: "* oats"}, "- milk ^m", "* oats ^m"},
		{"replace a task by lines", "^e", doc.ReplaceSection{Text: "oats\nrye"}, "- [ ] eggs\n  old ^e", "- [ ] oats\n  rye ^e"},
		{"replace above the id", "^table", doc.ReplaceSection{Text: "| new |"}, "| old |\n\n^table", "| new |\n\n^table"},
		{"append to a section", "B", doc.Append{Text: "new"}, "## B\n\nold\n", "## B\n\nold\n\nnew\n"},
		{"append to a block", "^para", doc.Append{Text: "new"}, "old two ^para\n", "old two ^para\n\nnew\n"},
		{"prepend to a block", "^para", doc.Prepend{Text: "new"}, "old one\n", "new\n\nold one\n"},
		{"after an item", "^m", doc.InsertAfter{Text: "- rye"}, "- milk ^m\n", "- milk ^m\n- rye\n"},
		{"before an item", "^m", doc.InsertBefore{Text: "- rye"}, "- milk ^m\n", "- rye\n- milk ^m\n"},
	} {
		edit, err := doc.Within(tc.part, tc.edit)
		if err != nil {
			t.Errorf("%s: %v", tc.name, err)
			continue
		}
		codec := markdown.Codec{}
		got, err := codec.Apply(codec.Parse("p.md", []byte(partsPage)), "", edit)
		if want := replaceOnce(t, partsPage, tc.was, tc.now); err != nil || string(got) != want {
			t.Errorf("%s: %v\ngot  %q\nwant %q", tc.name, err, got, want)
		}
	}
	for _, tc := range []struct {
		name, part string
		edit       doc.Edit
	}{
		{"a section twice", "A", doc.Append{Section: "B", Text: "x"}},
		{"a property", "A", doc.SetProperty{Key: "a", Value: "b"}},
		{"the whole text", "A", doc.SetTruth{Text: "x"}},
		{"a tag", "^m", doc.AddTag{Tag: "x"}},
		{"a relation", "A", doc.AddRelation{Type: "knows", Target: "x"}},
		{"no section", "", doc.ReplaceSection{Text: "x"}},
	} {
		if _, err := doc.Within(tc.part, tc.edit); kb.CodeOf(err) != kb.Usage {
			t.Errorf("%s: %v", tc.name, err)
		}
	}
}

func replaceOnce(t *testing.T, text, was, now string) string {
	t.Helper()
	if n := strings.Count(text, was); n != 1 {
		t.Fatalf("%q is there %d times", was, n)
	}
	return strings.Replace(text, was, now, 1)
}

func TestPartInstead(t *testing.T) {
	t.Parallel()
	for _, eol := range []string{"\n", "\r\n"} {
		d := markdown.Codec{}.Parse("p.md", []byte("# A"+eol+"x"+eol+"# B"+eol+"y"+eol))
		for _, tc := range []struct{ part, text, want string }{
			{"A", "# A" + eol + "z", "# A" + eol + "z" + eol + "# B" + eol + "y" + eol},
			{"A", "", "# B" + eol + "y" + eol},
			{"B", "# C", "# A" + eol + "x" + eol + "# C"},
		} {
			span, err := d.Part(&d.Nodes[0], tc.part)
			if got := d.Instead(span, []byte(tc.text)); err != nil || string(got) != tc.want {
				t.Errorf("%s by %q: %q, %v", tc.part, tc.text, got, err)
			}
		}
	}
}

// TestReplacementRepeatsTheHeading: the heading is kept once, however the text writes it.
func TestReplacementRepeatsTheHeading(t *testing.T) {
	t.Parallel()
	const page = "Title\n=====\n\nOne\n---\n\nold\n\n## Two ##\n\nold\n"
	codec := markdown.Codec{}
	for _, tc := range []struct{ section, text, now string }{
		{"One", "One\n---\n\nnew", "One\n---\n\nnew\n\n## Two ##\n\nold\n"},
		{"One", "One\n===\nnew", "One\n---\n\nnew\n\n## Two ##\n\nold\n"},
		{"One", "## One\n\nnew", "One\n---\n\nnew\n\n## Two ##\n\nold\n"},
		{"Two", "Two\n---\n\nnew", "One\n---\n\nold\n\n## Two ##\n\nnew\n"},
		{"Two", "## Two ##\n\nnew", "One\n---\n\nold\n\n## Two ##\n\nnew\n"},
	} {
		got, err := codec.Apply(codec.Parse("p.md", []byte(page)), "", doc.ReplaceSection{Section: tc.section, Text: tc.text})
		if want := "Title\n=====\n\n" + tc.now; err != nil || string(got) != want {
			t.Errorf("%s by %q: %q, %v", tc.section, tc.text, got, err)
		}
	}
}

// TestDoubledHeadings: only sections below one heading are neighbours, and two headings of
// one name are two.
func TestDoubledHeadings(t *testing.T) {
	t.Parallel()
	const page = "# P\n\n## Day\n\n### Notes\n\na\n\n## Day\n\n### Notes\n\nb\n\n## End\n\nc\n"
	codec := markdown.Codec{}
	for _, tc := range []struct{ section, text, doubled string }{
		{"Day#1", "### Notes\n\nnew", ""},
		{"Day#2", "### Notes\n\nnew\n\n### More\n\nx", ""},
		{"Day#1", "new\n\n## End\n\nx", "End"},
		{"End", "## End\n\nnew\n\n## Day\n\n### Notes\n\nx", "Day"},
		{"P", "## One\n\n### Notes\n\n## Two\n\n### Notes\n", ""},
	} {
		_, err := codec.Apply(codec.Parse("p.md", []byte(page)), "", doc.ReplaceSection{Section: tc.section, Text: tc.text})
		switch {
		case tc.doubled == "" && err != nil:
			t.Errorf("%s by %q: %v", tc.section, tc.text, err)
		case tc.doubled != "" && (err == nil || !strings.Contains(err.Error(), "the sections "+tc.doubled+" already")):
			t.Errorf("%s by %q: %v, want %s", tc.section, tc.text, err, tc.doubled)
		}
	}
}

// TestReplacingATag: in the metadata one tag may become two, as it reads; any other value
// stays one.
func TestReplacingATag(t *testing.T) {
	t.Parallel()
	codecs := []doc.Codec{markdown.Codec{}, org.Codec{}}
	for _, tc := range []struct{ path, page, old, now, tags string }{
		{"a.md", "---\ntags: [a1, b1]\n---\nx\n", "a1", "one, two", "one two b1"},
		{"a.md", "---\ntags: a1, b1\n---\nx\n", "a1", "one, two", "one two b1"},
		{"a.md", "---\ntags:\n  - a1\n  - b1\n---\nx\n", "- a1", "- one\n  - two", "one two b1"},
		{"a.md", "---\ntags: [a1, b1]\n---\nx\n", "a1, ", "", "b1"},
		{"a.md", "---\nauthors: [a1, b1]\n---\nx\n", "a1", "one, two", "refused"},
		{"a.md", "---\ntags: [a1, b1]\n---\nx\n", "a1", "one #, two", "refused"},
		{"a.org", "#+filetags: :a1:b1:\nx\n", "a1", "one:two", "one two b1"},
	} {
		codec := doc.ForPath(codecs, tc.path)
		got, err := codec.Apply(codec.Parse(tc.path, []byte(tc.page)), "", doc.Replace{Old: tc.old, New: tc.now})
		tags := "refused"
		if err == nil {
			tags = strings.Join(codec.Parse(tc.path, got).Nodes[0].Tags, " ")
		}
		if tags != tc.tags {
			t.Errorf("%q, %q for %q: %s, want %s", tc.page, tc.now, tc.old, tags, tc.tags)
		}
	}
}
