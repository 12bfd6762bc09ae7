package curate

import (
	"cmp"
	"slices"
	"strings"

	"github.com/cairn-kb/cairn/internal/doc"
)

// entries returns the edits that copy the timeline entries of a page to another
// page, each in date order. rest is the document without its timeline heading and
// the entries: undated text of the timeline becomes text of the page there. An
// entry that the other page already has is skipped; one that it cannot store stays
// text.
func (s *subject) entries(d *doc.Document, into subject) (adds []doc.Edit, rest *doc.Document, err error) {
	n := &d.Nodes[0]
	if n.Truth.End == n.Span.End {
		return nil, d, nil
	}
	cuts := []doc.Splice{{Span: doc.Span{Start: n.Truth.End, End: n.Timeline.Start}}}
	target := into.doc
	for _, x := range slices.Backward(n.Entries) { // entries of one day keep their order
		edit := doc.AddEntry{Date: x.Date, Source: x.Source, Text: x.Text, Detail: x.Detail}
		there := slices.ContainsFunc(target.Nodes[0].Entries, func(o doc.Entry) bool {
			return o.Date == x.Date && o.Source == x.Source && o.Text == x.Text && o.Detail == x.Detail
		})
		if !there {
			text, err := into.codec.Apply(target, "", edit)
			if err != nil {
				continue
			}
			target, adds = into.codec.Parse(into.Path, text), append(adds, edit)
		}
		cuts = append(cuts, doc.Splice{Span: x.Span})
	}
	for _, h := range n.Headings {
		if h.InTruth || h.Line.Start < n.Timeline.Start || within(cuts, h.Line) {
			continue
		}
		if strings.EqualFold(h.Text, "timeline") || empty(d, h, cuts) {
			cuts = append(cuts, doc.Splice{Span: h.Line})
		}
	}
	closeUp(d, cuts)
	text, err := doc.ApplySplices(d.Text, cuts)
	if err != nil {
		return nil, nil, err
	}
	if text, err = d.Encode(text); err != nil {
		return nil, nil, err
	}
	return adds, s.codec.Parse(d.Path, text), nil
}

// closeUp extends cuts over the blank lines after them when there are blank lines
// before them.
func closeUp(d *doc.Document, cuts []doc.Splice) {
	slices.SortFunc(cuts, func(a, b doc.Splice) int { return cmp.Compare(a.Start, b.Start) })
	for i := range cuts {
		c := &cuts[i]
		before := doc.LineStart(d.Text, max(c.Start-1, 0))
		if i > 0 && cuts[i-1].End == c.Start || doc.Blank(d.Text[before:c.Start]) {
			c.End = max(c.End, doc.LineStart(d.Text, first(d.Text, doc.Span{Start: c.End, End: len(d.Text)})))
		}
	}
}

// empty reports whether only headings are left in a section.
func empty(d *doc.Document, h doc.Heading, cuts []doc.Splice) bool {
	text := []byte(d.Slice(doc.Span{Start: h.Line.Start, End: h.Section.End}))
	clear := func(s doc.Span) {
		for i := max(s.Start, h.Line.Start); i < min(s.End, h.Section.End); i++ {
			text[i-h.Line.Start] = ' '
		}
	}
	clear(h.Line)
	for _, c := range cuts {
		clear(c.Span)
	}
	for _, o := range d.Nodes[0].Headings {
		clear(o.Line)
	}
	return strings.TrimSpace(string(text)) == ""
}

// within reports whether a span is inside one of the cuts.
func within(cuts []doc.Splice, s doc.Span) bool {
	return slices.ContainsFunc(cuts, func(c doc.Splice) bool { return c.Span.Contains(s) })
}
