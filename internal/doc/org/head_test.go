package org

import (
	"slices"
	"testing"

	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/kb"
)

// Titles and tags are read anywhere before the first heading, as Emacs reads them.
func TestPreamble(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		source, title string
		tags          []string
	}{
		{"Some text.\n\n#+title: A\n#+filetags: :x:y:\n", "A", []string{"x", "y"}},
		{"#+title: A\n\ntext\n\n#+filetags: :x:\n* H\n#+filetags: :z:\n", "A", []string{"x"}},
		{"text\n#+begin_src org\n#+title: No\n#+end_src\n#+title: A\n", "A", nil},
		{"* H\n#+title: No\n", "x", nil},
		{":PROPERTIES: junk\n:ID: 1\n:END:\n#+title: A\n", "A", nil},
		{"#+title: On [[id:1][links]] and [[https://e.x][more]]\n", "On links and more", nil},
	} {
		n := Codec{}.Parse("x.org", []byte(c.source)).Nodes[0]
		if n.Title != c.title || !slices.Equal(n.Tags, c.tags) {
			t.Errorf("%q: %q, %v", c.source, n.Title, n.Tags)
		}
	}
	codec := Codec{}
	source := "text\n\n#+title: A\n#+filetags: :x:\n"
	got, err := codec.Apply(codec.Parse("x.org", []byte(source)), "", doc.SetTitle{Title: "B"}, doc.AddTag{Tag: "y"})
	if want := "text\n\n#+title: B\n#+filetags: :x:y:\n"; err != nil || string(got) != want {
		t.Errorf("edited to %q, %v", got, err)
	}
}

// A line that means to open a property drawer and does not is reported.
func TestMisspeltDrawer(t *testing.T) {
	t.Parallel()
	for source, warned := range map[string]bool{
		":PROPERTIES: junk\n:ID: 1\n:END:\n#+title: A\n":               true,
		":PROPERTIES::\n:ID: 1\n:END:\n":                               true,
		":PROPERTIES :\n:ID: 1\n:END:\n":                               true,
		":PROPERTY:\n:ID: 1\n:END:\n":                                  true,
		"PROPERTIES:\n:ID: 1\n:END:\n":                                 true,
		"* H\n:PROPERTIES: junk\n:ID: 1\n:END:\n":                      true,
		"* H\nSCHEDULED: <2026-01-01>\n:PROPERTIES::\n:ID: 1\n:END:\n": true,
		":PROPERTIES:\n:ID: 1\n:END:\n":                                false,
		"Properties: of steel\n":                                       false,
		"Properties of steel\n:a: b\n":                                 false,
	} {
		d := Codec{}.Parse("x.org", []byte(source))
		has := slices.ContainsFunc(d.Warnings, func(w doc.Warning) bool { return w.Code == "drawer-malformed" })
		if has != warned {
			t.Errorf("%q: %v", source, d.Warnings)
		}
		_, err := Codec{}.Apply(d, "", doc.SetProperty{Key: "k", Value: "v"})
		if atTop := source[0] != '*'; warned && atTop && kb.CodeOf(err) != kb.Invalid {
			t.Errorf("%q: its metadata was edited: %v", source, err)
		}
	}
}
