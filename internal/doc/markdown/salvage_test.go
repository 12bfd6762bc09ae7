package markdown_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/doc/markdown"
	"github.com/cairn-kb/cairn/internal/kb"
)

// brokenMatter are frontmatters that YAML does not take for a map of keys.
var brokenMatter = []string{
	"title: On: colons\ntags: [a, b]\nid: 3f1c2a4e-0d5b-4c1e-9a77-5b2f6f0c8d11\ndate: 2024-05-06\n",
	"author: @kepano\ntitle: 'On: colons'\ntags:\n  - a\n  - b\ndate: 2024-05-06\nid: 3f1c2a4e-0d5b-4c1e-9a77-5b2f6f0c8d11\n",
	"authors:\n- @kepano\ntitle: \"On: colons\"\r\ntags: a, b\r\ndate: 2024-05-06\nid: 3f1c2a4e-0d5b-4c1e-9a77-5b2f6f0c8d11",
	"just words\ntitle: On: colons\ntag: a\ntags: [\"b\"\ndate:\t2024-05-06\nid: 3f1c2a4e-0d5b-4c1e-9a77-5b2f6f0c8d11\n",
	"- a list\n\n# a comment\ntitle: On: colons\nnested:\n  title: no\n  - no\ntags:\n- a\n# a comment\n- b\nid: 3f1c2a4e-0d5b-4c1e-9a77-5b2f6f0c8d11\ndate: 2024-05-06 # {{x}\n",
}

func TestSalvage(t *testing.T) {
	t.Parallel()
	for _, head := range brokenMatter {
		source := "---\n" + head + "aliases: [Colons, 'Signs']\n---\nText.\n"
		if !strings.HasSuffix(head, "\n") {
			source = "---\n" + head + "\naliases:\n - Colons\n - Signs\n---\nText.\n"
		}
		d := markdown.Codec{}.Parse("x.md", []byte(source))
		n := &d.Nodes[0]
		tags := slices.Sorted(slices.Values(n.Tags))
		if n.Title != "On: colons" || !slices.Equal(tags, []string{"a", "b"}) || !slices.Equal(n.Aliases, []string{"Colons", "Signs"}) ||
			n.ID != "3f1c2a4e-0d5b-4c1e-9a77-5b2f6f0c8d11" || !strings.HasPrefix(n.Day("x.md", doc.Syntax{}), "2024-05-06") {
			t.Errorf("%q: title %q, tags %q, aliases %q, id %q, day %q", source, n.Title, n.Tags, n.Aliases, n.ID, n.Day("x.md", doc.Syntax{}))
		}
		if len(d.Warnings) != 1 || !strings.HasPrefix(d.Warnings[0].Code, "frontmatter-not-") {
			t.Errorf("%q: warnings %+v", source, d.Warnings)
		}
		if n.Head.Len() > 0 || n.Truth.Start > 0 {
			t.Errorf("%q: it is no text any more", source)
		}
		for _, e := range []doc.Edit{
			doc.SetProperty{Key: "title", Value: "New"}, doc.SetTitle{Title: "New"}, doc.AddTag{Tag: "new"}, doc.RemoveTag{Tag: "a"}, doc.RemoveProperty{Key: "title"},
		} {
			if _, err := (markdown.Codec{}).Apply(d, "", e); kb.CodeOf(err) != kb.Invalid {
				t.Errorf("%q: %#v: %v", source, e, err)
			}
		}
		for _, e := range []doc.Edit{doc.AddTag{Tag: "a"}, doc.RemoveProperty{Key: "none"}} {
			if got, err := (markdown.Codec{}).Apply(d, "", e); err != nil || string(got) != source {
				t.Errorf("%q: %#v: %q, %v", source, e, got, err)
			}
		}
		got, err := markdown.Codec{}.Apply(d, "", doc.Append{Text: "More."})
		if err != nil || string(got) != source+"\nMore.\n" {
			t.Errorf("%q: append: %q, %v", source, got, err)
		}
	}
}

func TestSalvagedBrackets(t *testing.T) {
	t.Parallel()
	n := markdown.Codec{}.Parse("p.md", []byte("---\ntitle: [WIP] A plan\ntags: [a, \"b, c\"\nup: [[A]], [[B]]\n---\n")).Nodes[0]
	if n.Title != "[WIP] A plan" || !slices.Equal(n.Tags, []string{"a", "b, c"}) || len(n.Links) != 2 {
		t.Errorf("%+v", n)
	}
}

// What stands for something else is no value.
func TestNotSalvaged(t *testing.T) {
	t.Parallel()
	for _, line := range []string{
		"title: {{title}}", "title: |", "title: >-", "title: *x", "title: {a: b}", " title: x", "the title: x", "title:x", "title: \"\"", "title: # x",
	} {
		n := markdown.Codec{}.Parse("p.md", []byte("---\n- a list\n"+line+"\n---\n")).Nodes[0]
		if n.Title != "p" {
			t.Errorf("%q: title %q", line, n.Title)
		}
	}
}
