package doctest

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/cairn-kb/cairn/internal/doc"
)

// Sound checks the invariants of every document: spans are within the text and
// nested where they must be, items are in order, and spans contain the bytes
// that they describe.
func Sound(t *testing.T, d *doc.Document) {
	t.Helper()
	all := doc.Span{End: len(d.Text)}
	if len(d.Nodes) == 0 || d.Nodes[0].Heading != -1 || d.Nodes[0].Span != all {
		t.Fatalf("%s: the first node is not the file", d.Path)
	}
	for i := range d.Nodes {
		n := &d.Nodes[i]
		inside(t, d, "node", all, n.Span)
		inside(t, d, "head", n.Span, n.Head)
		inside(t, d, "truth", n.Span, n.Truth)
		inside(t, d, "timeline", n.Span, n.Timeline)
		if n.Timeline.Len() > 0 && n.Timeline.Start < n.Truth.End {
			t.Errorf("%s: the timeline begins within the truth", d.Path)
		}
		if n.Title == "" && doc.TitleFromPath(d.Path) != "" {
			t.Errorf("%s: node %d has no title", d.Path, i)
		}
		soundParts(t, d, n)
	}
	soundMarks(t, d)
}

// soundMarks checks that marks are in order and disjoint, and that Reading
// keeps the number of lines where that is required.
func soundMarks(t *testing.T, d *doc.Document) {
	t.Helper()
	at := 0
	for _, m := range d.Marks {
		if m.Start < at || m.End <= m.Start || m.End > len(d.Text) {
			t.Errorf("%s: mark %+v after %d, text of %d", d.Path, m, at, len(d.Text))
			return
		}
		at = m.End
	}
	all := doc.Span{End: len(d.Text)}
	if got := d.ReadingLines(all); bytes.Count(got, []byte("\n")) != bytes.Count(d.Text, []byte("\n")) || len(got) > len(d.Text) {
		t.Errorf("%s: reading it gives %d lines", d.Path, bytes.Count(got, []byte("\n")))
	}
	if words, markup := d.Words(all); len(d.Marks) == 0 && (words != string(d.Text) || markup != "") {
		t.Errorf("%s: it has no marks, and others words", d.Path)
	}
	soundWords(t, d, all)
}

// soundWords checks that the parts of a text have its words, and are cut after blanks.
func soundWords(t *testing.T, d *doc.Document, all doc.Span) {
	t.Helper()
	var words, markup strings.Builder
	for part := range d.Parts(all, 5) {
		w, m := d.Words(part)
		if part.End < all.End && !strings.HasSuffix(w, " ") && !strings.HasSuffix(w, "\n") {
			t.Errorf("%s: the part %+v ends with %q", d.Path, part, w)
		}
		words.WriteString(w)
		markup.WriteString(m)
	}
	if w, m := d.Words(all); w != words.String() || m != markup.String() {
		t.Errorf("%s: its parts have other words", d.Path)
	}
}

func soundParts(t *testing.T, d *doc.Document, n *doc.Node) {
	t.Helper()
	inOrder(t, d, n, "metadata", n.Metadata, func(p doc.Property) doc.Span { return p.Span })
	inOrder(t, d, n, "properties", n.Properties, func(p doc.PropertyValue) doc.Span { return p.Span })
	inOrder(t, d, n, "tags", n.InlineTags, func(k doc.InlineTag) doc.Span { return k.Span })
	inOrder(t, d, n, "headings", n.Headings, func(h doc.Heading) doc.Span { return h.Line })
	inOrder(t, d, n, "observations", n.Observations, func(o doc.Observation) doc.Span { return o.Span })
	inOrder(t, d, n, "relations", n.Relations, func(r doc.Relation) doc.Span { return r.Span })
	inOrder(t, d, n, "links", n.Links, func(l doc.Link) doc.Span { return l.Span })
	inOrder(t, d, n, "entries", n.Entries, func(e doc.Entry) doc.Span { return e.Span })
	inOrder(t, d, n, "tasks", n.Tasks, func(k doc.Task) doc.Span { return k.Span })
	for _, h := range n.Headings {
		if h.Section.Start != h.Line.Start || h.Section.End < h.Line.End || h.Section.End > n.Span.End {
			t.Errorf("%s: section %+v of heading line %+v", d.Path, h.Section, h.Line)
		}
		if h.InTruth && h.Section.End > n.Truth.End {
			t.Errorf("%s: a section of the truth reaches beyond it", d.Path)
		}
	}
	for _, k := range n.InlineTags {
		if at := d.Slice(k.Span); at[0] != '#' || !strings.Contains(at, k.Name) || !slices.Contains(n.Tags, k.Name) {
			t.Errorf("%s: the tag %q is at %+v", d.Path, k.Name, k.Span)
		}
	}
	for _, p := range n.Properties {
		if p.Key == "" || p.Value == "" {
			t.Errorf("%s: a property without key or value: %+v", d.Path, p)
		}
	}
	for _, l := range n.Links {
		soundTarget(t, d, l.Target)
		if l.Type == "" {
			t.Errorf("%s: a link has no type", d.Path)
		}
	}
	for _, r := range n.Relations {
		soundTarget(t, d, r.Target)
		if r.Type == "" || !r.Span.Contains(r.Target.Span) {
			t.Errorf("%s: relation without type or target", d.Path)
		}
	}
}

func soundTarget(t *testing.T, d *doc.Document, target doc.Target) {
	t.Helper()
	all := doc.Span{End: len(d.Text)}
	if !all.Contains(target.Span) || !all.Contains(target.NameAt) || d.Slice(target.NameAt) != target.Raw || target.Name == "" {
		t.Errorf("%s: a link's spans do not hold its target", d.Path)
	}
}

func inside(t *testing.T, d *doc.Document, what string, outer, inner doc.Span) {
	t.Helper()
	if inner.Start > inner.End || !outer.Contains(inner) {
		t.Errorf("%s: %s %+v not within %+v", d.Path, what, inner, outer)
	}
}

func inOrder[T any](t *testing.T, d *doc.Document, n *doc.Node, what string, items []T, span func(T) doc.Span) {
	t.Helper()
	at := n.Span.Start
	for _, item := range items {
		s := span(item)
		inside(t, d, what, n.Span, s)
		if s.Start < at {
			t.Errorf("%s: %s out of order", d.Path, what)
		}
		at = s.Start
	}
}
