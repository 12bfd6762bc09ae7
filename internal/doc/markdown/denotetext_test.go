package markdown_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/doc/markdown"
	"github.com/cairn-kb/cairn/internal/kb"
)

const (
	denoteText = "20240101T120000--my-note__kw1_kw2.txt"
	denoteHead = "title:      My note: a text\ndate:       2024-03-05\ntags:       kw1  kw3\nidentifier: 20240101T120000\n---------------------------\n\n"
)

// TestDenoteText: the metadata and the links of Denote's text notes are read.
func TestDenoteText(t *testing.T) {
	t.Parallel()
	body := "See [[denote:20240102T120000][the other]] and [[denote:20240103T120000]], [[Plain]].\n\nRule\n---\n"
	d := parse(denoteText, denoteHead+body)
	n := d
	if n.Title != "My note: a text" || strings.Join(n.Tags, " ") != "kw1 kw3 kw2" || n.Day(denoteText, doc.Syntax{}) != "2024-03-05" || !slices.Contains(n.Refs, "denote:20240101T120000") {
		t.Errorf("title %q, tags %q, day %q, refs %q", n.Title, n.Tags, n.Day(denoteText, doc.Syntax{}), n.Refs)
	}
	var links []string
	for _, l := range n.Links {
		links = append(links, fmt.Sprintf("%s %s %q", l.Kind, l.Name, l.Text))
	}
	if got, want := strings.Join(links, "\n"), "org-cite denote:20240102T120000 \"the other\"\norg-cite denote:20240103T120000 \"\"\nwikilink Plain \"\""; got != want {
		t.Errorf("links:\n%s\nwant\n%s", got, want)
	}
	if n = parse(denoteText, "Text: without metadata\n\nmore\n"); n.Title == "" || n.Head.Len() != 0 {
		t.Errorf("without metadata: %q %v", n.Title, n.Head)
	}
}

// TestEditsOfDenoteText: the text can be edited; the metadata is Denote's.
func TestEditsOfDenoteText(t *testing.T) {
	t.Parallel()
	codec := markdown.Codec{}
	d := codec.Parse(denoteText, []byte(denoteHead+"Body.\n"))
	got, err := codec.Apply(d, "", doc.Append{Text: "More."})
	if want := denoteHead + "Body.\n\nMore.\n"; err != nil || string(got) != want {
		t.Errorf("append: %q, %v", got, err)
	}
	if got, err := codec.Apply(d, "", doc.Replace{Old: "Body", New: "Text"}); err != nil || string(got) != denoteHead+"Text.\n" {
		t.Errorf("replace: %q, %v", got, err)
	}
	for _, e := range []doc.Edit{doc.SetTitle{Title: "x"}, doc.AddTag{Tag: "x"}, doc.SetProperty{Key: "a", Value: "b"}, doc.RemoveProperty{Key: "date"}, doc.Replace{Old: "title:", New: "name:"}} {
		if got, err := codec.Apply(d, "", e); kb.CodeOf(err) != kb.Invalid {
			t.Errorf("%T: %q, %v", e, got, err)
		}
	}
	if doc.ForPath([]doc.Codec{codec}, "notes.txt") != nil || doc.ForPath([]doc.Codec{codec}, denoteText) == nil {
		t.Error("text files are told apart by their names")
	}
}
