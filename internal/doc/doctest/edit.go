package doctest

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/kb"
)

// edits are applied to every fixture. They add text that no fixture contains.
var edits = []doc.Edit{
	doc.SetProperty{Key: "doctest", Value: "plain words"},
	doc.SetProperty{Key: "doctest", Value: `a: "b" #c [d] \e 'f'`},
	doc.SetProperty{Key: "title", Value: "New: a title"},
	doc.SetList{Key: "doctest", Values: []string{"one", "two three"}},
	doc.RemoveProperty{Key: "doctest"},
	doc.SetProperty{Key: "map.key", Value: "within"},
	doc.SetProperty{Key: "nested.a", Value: "x, y"},
	doc.RemoveProperty{Key: "map.key"},
	doc.SetTitle{Title: "Another title"},
	doc.AddTag{Tag: "doctest"},
	doc.AddRelation{Type: "tests", Target: "Some Page", From: "2026-01-02", Context: "why"},
	doc.AddRelation{Type: "part of", Target: "Some Page"},
	doc.AddObservation{Category: "doctest", Text: "said in a few words", Tags: []string{"t1", "t2"}, Context: "where"},
	doc.AddEntry{Date: "2026-05-04", Source: "doctest", Text: "happened", Detail: "more\nof it"},
	doc.AddEntry{Date: "1999-01", Text: "long ago"},
	doc.Append{Text: "doctest appended"},
	doc.Append{Text: "- doctest item\n- another"},
	doc.Prepend{Text: "doctest prepended\n\nin two paragraphs"},
	doc.InsertAfter{Text: "doctest after"},
	doc.InsertBefore{Text: "doctest before"},
	doc.SetTruth{Text: "doctest truth\n\nof two paragraphs"},
}

// EditAll applies each of the suite's edits to a fixture.
func EditAll(t *testing.T, codec doc.Codec, f Fixture) {
	t.Helper()
	for _, e := range edits {
		Edit(t, codec, f, e)
	}
	for _, tag := range codec.Parse(f.Path, f.Source).Nodes[0].Tags {
		Edit(t, codec, f, doc.RenameTag{Old: tag, New: "doctest"})
	}
}

// Edit applies one edit to a fixture and checks that it changes only its place and reads
// back. A format may refuse an edit with kb.Invalid if it cannot express it on this page.
func Edit(t *testing.T, codec doc.Codec, f Fixture, e doc.Edit) {
	t.Helper()
	d := codec.Parse(f.Path, f.Source)
	out, err := codec.Apply(d, "", e)
	if err != nil {
		switch kb.CodeOf(err) {
		case kb.Invalid, kb.NotFound, kb.Ambiguous, kb.Conflict, kb.Usage:
		default:
			t.Errorf("%s: %#v: %v", f.Path, e, err)
		}
		return
	}
	after := Identity(t, codec, Fixture{f.Path, out})
	if after.Encoding != d.Encoding && !(d.Encoding == doc.Latin1 && ascii(after.Text)) {
		t.Errorf("%s: %#v: encoding %s became %s", f.Path, e, d.Encoding, after.Encoding)
	}
	stays(t, d, after, e)
	eol(t, d, after, e)
	again(t, codec, after, e, out)
}

// ascii reports whether a text is the same in Latin-1 and UTF-8.
func ascii(text []byte) bool {
	return !bytes.ContainsFunc(text, func(r rune) bool { return r >= 0x80 })
}

// stays checks that all other bytes are unchanged.
func stays(t *testing.T, before, after *doc.Document, e doc.Edit) {
	t.Helper()
	old, now := &before.Nodes[0], &after.Nodes[0]
	switch e := e.(type) {
	case doc.SetProperty, doc.SetList, doc.RemoveProperty, doc.AddTag, doc.RemoveTag:
		if strings.TrimLeft(string(before.Text[old.Head.End:]), "\r\n") != strings.TrimLeft(string(after.Text[now.Head.End:]), "\r\n") {
			t.Errorf("%s: %#v changed the body", before.Path, e)
		}
	case doc.RenameTag:
		rest := slices.Collect(strings.Lines(string(after.Text)))
		for line := range strings.Lines(string(before.Text)) {
			if strings.Contains(strings.ToLower(line), strings.ToLower(e.Old)) {
				continue
			}
			i := slices.Index(rest, line)
			if i < 0 {
				t.Errorf("%s: %#v changed the line %q", before.Path, e, line)
				return
			}
			rest = rest[i+1:]
		}
	case doc.SetTitle:
		if before.Slice(old.Timeline) != after.Slice(now.Timeline) {
			t.Errorf("%s: %#v changed the timeline", before.Path, e)
		}
	case doc.SetTruth, doc.ReplaceSection, doc.Replace:
		head := after.Slice(now.Head)
		if old.Head.End == len(before.Text) { // its last line may have had no line end
			head = head[:min(len(head), old.Head.Len())]
		}
		if before.Slice(old.Head) != head || before.Slice(old.Timeline) != after.Slice(now.Timeline) {
			t.Errorf("%s: %#v changed metadata or timeline", before.Path, e)
		}
	case doc.RemoveRelation, doc.RemoveObservation:
		if n := len(shared(before.Text, after.Text)); n < len(after.Text) {
			t.Errorf("%s: %#v wrote something", before.Path, e)
		}
	case doc.SetInterval:
		if n := len(shared(before.Text, after.Text)); n < len(before.Text)-len(e.Was.String()) {
			t.Errorf("%s: %#v changed more than the interval", before.Path, e)
		}
	default:
		// The other edits only insert.
		if n := len(shared(before.Text, after.Text)); n < len(before.Text) {
			t.Errorf("%s: %#v kept %d of %d bytes", before.Path, e, n, len(before.Text))
		}
	}
}

// shared returns the common start and end of two texts.
func shared(a, b []byte) []byte {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	m := 0
	for m < len(a)-n && m < len(b)-n && a[len(a)-1-m] == b[len(b)-1-m] {
		m++
	}
	return append(slices.Clone(a[:n]), a[len(a)-m:]...)
}

// eol checks that new lines have the line ending of the others.
func eol(t *testing.T, before, after *doc.Document, e doc.Edit) {
	t.Helper()
	bare := func(d *doc.Document) int {
		return bytes.Count(d.Text, []byte("\n")) - bytes.Count(d.Text, []byte("\r\n"))
	}
	crlf := func(d *doc.Document) int { return bytes.Count(d.Text, []byte("\r\n")) }
	if before.EOL == "\n" && crlf(after) > crlf(before) || before.EOL == "\r\n" && bare(after) > bare(before) {
		t.Errorf("%s: %#v mixed line endings", before.Path, e)
	}
}

// again repeats an edit: an edit that sets a state changes nothing, and adding an existing
// fact is a conflict.
func again(t *testing.T, codec doc.Codec, d *doc.Document, e doc.Edit, source []byte) {
	t.Helper()
	out, err := codec.Apply(d, "", e)
	switch e := e.(type) {
	case doc.SetProperty, doc.SetList, doc.RemoveProperty, doc.SetTitle, doc.AddTag, doc.SetTruth, doc.ReplaceSection:
		if err != nil || !bytes.Equal(out, source) {
			t.Errorf("%s: %#v: not the same the second time: %v", d.Path, e, err)
		}
	case doc.AddRelation, doc.AddEntry:
		if kb.CodeOf(err) != kb.Conflict {
			t.Errorf("%s: %#v: added twice: %v", d.Path, e, err)
		}
	}
}
