package index

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/cairn-kb/cairn/internal/doc/markdown"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/search/lexical"
)

// Links to a page are resolved again when it changes for them, and not with each change of
// its text.
func TestNamesThatLinksAreResolvedFor(t *testing.T) {
	t.Parallel()
	const path, text = "people/ada.md", "---\naliases: [Countess]\n---\n# Ada\n\nText.\n"
	for name, tc := range map[string]struct {
		path, text string
		noted      bool
	}{
		"other text":  {path, text + "\nMore.\n", false},
		"other title": {path, "---\naliases: [Countess]\n---\n# Ada L.\n", true},
		"other alias": {path, "---\naliases: [Lady]\n---\n# Ada\n", true},
		"other path":  {"people/al.md", text, true},
	} {
		was := derived(markdown.Codec{}, "", path, text, on("2026-01-01"))
		now := derived(markdown.Codec{}, "", tc.path, tc.text, on("2026-01-01"))
		now.Record.Row = 7
		old, p := &was.Record.Pages[0], &now.Record.Pages[0]
		old.Names, p.Names = namesOf(old, path), namesOf(p, tc.path)
		ch := newChanges(kb.Space{})
		ch.byNode[nodeKey{7, ""}] = oldPage{names: old.Names, path: path, title: old.Page.Title, aliases: old.Page.Aliases}
		ch.noteNew(now, p)
		if noted := len(ch.names) > 0; noted != tc.noted {
			t.Errorf("%s: %v", name, ch.names)
		}
	}
}

// The text of a page is not kept next to what the full-text index is made of.
func TestAnalysedTextIsNotKept(t *testing.T) {
	t.Parallel()
	d := derived(markdown.Codec{}, "", "a.md", "# A\n\nSome words.\n", on("2026-01-01"))
	if b := analyse([]*Derived{d}); b.Len() != 1 || d.texts != nil {
		t.Errorf("%d documents, and %d texts are kept", b.Len(), len(d.texts))
	}
}

// The words of a long page are read in parts when they are analysed, and are the same.
func TestWordsOfALongPage(t *testing.T) {
	t.Parallel()
	line := "Some words, [a link](https://example.com/path) and <!-- a comment --> an end.\n"
	text := "# Long\n\n" + strings.Repeat(line, longText*2/len(line))
	d := Derive(markdown.Codec{}, Source{Path: "long.md", Bytes: []byte(text)}, nil)
	page := d.texts[0]
	for _, of := range page.Texts {
		if of.Field == lexical.Truth || of.Field == lexical.Markup {
			t.Errorf("%d bytes of the field %s are kept", len(of.Value), of.Field)
		}
	}
	words, markup := d.Document.Words(d.Document.Nodes[0].Truth)
	want := map[lexical.Field]string{lexical.Truth: words, lexical.Markup: markup}
	for _, of := range page.Long {
		parts := slices.Collect(of.Parts)
		if strings.Join(parts, "") != want[of.Field] || len(parts) < 2 {
			t.Errorf("%d parts of the field %s have other words", len(parts), of.Field)
		}
		delete(want, of.Field)
	}
	if len(want) > 0 {
		t.Errorf("no texts of %v", slices.Collect(maps.Keys(want)))
	}
}
