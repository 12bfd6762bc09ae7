package markdown_test

import (
	"testing"

	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/doc/doctest"
	"github.com/cairn-kb/cairn/internal/doc/markdown"
	"github.com/cairn-kb/cairn/internal/kb"
)

// FuzzParse: every input gives its bytes back and a sound document.
func FuzzParse(f *testing.F) {
	for _, x := range fixtures(f) {
		f.Add(x.Source)
	}
	f.Add([]byte("---\n&anchor: no key\n---"))
	for _, head := range brokenMatter {
		f.Add([]byte("---\n" + head + "\n---\nText.\n"))
	}
	f.Fuzz(func(t *testing.T, source []byte) {
		for _, s := range append(kb.Syntaxes(), "") {
			doctest.Identity(t, markdown.Codec{}.In(s), doctest.Fixture{Path: "x.md", Source: source})
		}
	})
}

// FuzzEdit: edits stay in their place, read back, and fail in no other way
// than they say.
func FuzzEdit(f *testing.F) {
	for i, x := range fixtures(f) {
		f.Add(x.Source, uint8(i), "key", "a value")
		f.Add(x.Source, uint8(i+7), "tags", "- item\n\n## Head")
		f.Add(x.Source, uint8(i+13), "Title", "```")
	}
	f.Add([]byte("# A\n\none\ntwo ^para\n\n- [ ] x ^key\n\n| t |\n\n^t\n"), uint8(12), "key", "- new\nlines")
	for i, head := range brokenMatter {
		f.Add([]byte("---\n"+head+"\n---\nText.\n"), uint8(i), "title", "b")
	}
	f.Fuzz(func(t *testing.T, source []byte, which uint8, a, b string) {
		edits := []doc.Edit{
			doc.SetProperty{Key: a, Value: b},
			doc.SetList{Key: a, Values: []string{b, a}},
			doc.RemoveProperty{Key: a},
			doc.SetTitle{Title: b},
			doc.AddTag{Tag: b},
			doc.AddRelation{Type: a, Target: b, Context: a},
			doc.AddObservation{Category: a, Text: b, Context: a},
			doc.AddEntry{Date: "2024-05-06", Source: a, Text: b, Detail: a},
			doc.Append{Text: b},
			doc.Prepend{Text: b},
			doc.Append{Section: a, Text: b},
			doc.SetTruth{Text: b},
			doc.ReplaceSection{Section: "^" + a, Text: b},
			doc.InsertAfter{Section: "^" + a, Text: b},
			doc.Replace{Section: a, Old: "e", New: b},
		}
		codec := markdown.Codec{}.In(append(kb.Syntaxes(), "")[len(source)%3])
		doctest.Edit(t, codec, doctest.Fixture{Path: "x.md", Source: source}, edits[int(which)%len(edits)])
	})
}
