package markdown

import (
	"bytes"

	"github.com/cairn-kb/cairn/internal/doc"
)

// mathState tracks an open formula in "$$" that began on a line of its own, and
// its nesting depth in quotations and lists. Nothing in it is a tag. Links in
// it count, because an unclosed formula must not hide those of the rest of the
// page.
type mathState struct {
	open  bool
	depth int
}

// running returns the parts of a paragraph outside such formulas.
func (m *mathState) running(s *scanner, para doc.Span) []doc.Span {
	if !m.open && !bytes.Contains(s.text[para.Start:para.End], []byte("$$")) {
		return []doc.Span{para}
	}
	if m.open && len(s.open) < m.depth {
		m.open = false // it ended with its container
	}
	var out []doc.Span
	from := para.Start
	for at := para.Start; at < para.End; {
		end := min(doc.LineEnd(s.text, at), para.End)
		line := bytes.TrimSpace(bytes.TrimLeft(s.text[at:end], " \t>"))
		switch {
		case m.open && string(line) == "$$":
			m.open, from = false, end
		case !m.open && bytes.HasPrefix(line, []byte("$$")) && !bytes.Contains(line[2:], []byte("$$")):
			m.open, m.depth = true, len(s.open)
			if at > from {
				out = append(out, doc.Span{Start: from, End: at})
			}
		}
		at = end
	}
	if !m.open && para.End > from {
		out = append(out, doc.Span{Start: from, End: para.End})
	}
	return out
}
