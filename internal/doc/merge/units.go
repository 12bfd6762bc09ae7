package merge

import (
	"strings"

	"github.com/cairn-kb/cairn/internal/doc"

	"github.com/cairn-kb/cairn/internal/kb/lazyregexp"
)

// item matches a line that starts a list item, in text or in metadata.
var item = lazyregexp.New(`^[ \t]*(?:[-+*]|\d+[.)])[ \t]`)

// units reports for each line whether a unit starts there, so that changes above do not
// affect it. The end of the text counts as a line.
func units(d *doc.Document, lines []string) []bool {
	starts := make([]bool, len(lines)+1)
	starts[0], starts[len(lines)] = true, true
	for i, line := range lines {
		blank := strings.TrimSpace(line) == ""
		if blank || item().MatchString(line) {
			starts[i] = true
		}
		if blank {
			starts[i+1] = true
		}
	}
	at := doc.NewLines(d.Text)
	mark := func(s doc.Span) {
		if s.Len() == 0 {
			return
		}
		// A span that starts within a line is not a boundary.
		for _, offset := range []int{s.Start, s.End} {
			if offset == 0 || offset <= len(d.Text) && d.Text[offset-1] == '\n' {
				starts[at.At(offset)-1] = true
			}
		}
	}
	for i := range d.Nodes {
		n := &d.Nodes[i]
		mark(n.Span)
		mark(n.Head)
		mark(n.Truth)
		mark(n.Timeline)
		for _, p := range n.Metadata {
			mark(p.Span)
		}
		for _, h := range n.Headings {
			mark(h.Line)
			mark(h.Section)
		}
		for _, o := range n.Observations {
			mark(o.Span)
		}
		for _, r := range n.Relations {
			mark(r.Span)
		}
		for _, e := range n.Entries {
			mark(e.Span)
		}
	}
	return starts
}
