package org

import (
	"testing"

	"github.com/cairn-kb/cairn/internal/doc"
)

// A tag is renamed in the line of file tags and in headings that are not pages.
func TestRenameTag(t *testing.T) {
	t.Parallel()
	codec := Codec{}
	const text = "#+title: A\n#+filetags: :old:other:\n\n* One                 :old:\n* Two :older:\n* Page :old:\n:PROPERTIES:\n:ID: 0c1d2e3f-0000-4000-8000-000000000001\n:END:\n"
	d := codec.Parse("a.org", []byte(text))
	out, err := codec.Apply(d, "", doc.RenameTag{Old: "old", New: "new"})
	if err != nil {
		t.Fatal(err)
	}
	const want = "#+title: A\n#+filetags: :new:other:\n\n* One                 :new:\n* Two :older:\n* Page :old:\n:PROPERTIES:\n:ID: 0c1d2e3f-0000-4000-8000-000000000001\n:END:\n"
	if string(out) != want {
		t.Errorf("it is\n%s", out)
	}
	d = codec.Parse("a.org", out)
	if out, err = codec.Apply(d, d.Nodes[1].ID, doc.RenameTag{Old: "old", New: "other"}); err != nil {
		t.Fatal(err)
	}
	if got := codec.Parse("a.org", out).Nodes[1].Tags; len(got) != 2 {
		t.Errorf("the heading has %v in\n%s", got, out)
	}
}
