package markdown

import (
	"slices"

	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/doc/transcript"
)

// onlyTurns drops the links, facts, tags, tasks and headings in the text of a session, since
// they are quoted from other documents.
func onlyTurns(d *doc.Document) {
	n := &d.Nodes[0]
	n.Truth, n.Timeline = doc.Span{Start: min(n.Truth.Start, n.Head.End), End: n.Span.End}, doc.Span{Start: n.Span.End, End: n.Span.End}
	if n.Head.Len() > 0 {
		n.Truth.Start = n.Head.End
	}
	n.InlineTags, n.OuterTags, n.Observations, n.Relations, n.Links, n.Entries, n.Tasks = nil, nil, nil, nil, nil, nil, nil
	n.Hidden, d.Echoes, d.Files = nil, nil, nil
	n.Properties = slices.DeleteFunc(n.Properties, func(p doc.PropertyValue) bool { return p.Inline || p.Span.Start >= n.Head.End })
	n.Headings = slices.DeleteFunc(n.Headings, func(h doc.Heading) bool {
		return !transcript.IsTurn(d.Text[h.Line.Start:h.Line.End])
	})
	for i := range n.Headings {
		h := &n.Headings[i]
		h.Path, h.InTruth, h.Section = h.Text, true, doc.Span{Start: h.Line.Start, End: n.Span.End}
		if i > 0 {
			n.Headings[i-1].Section.End = h.Line.Start
		}
	}
	d.Warnings = slices.DeleteFunc(d.Warnings, func(w doc.Warning) bool { return w.Line > 1 })
}
