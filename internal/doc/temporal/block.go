package temporal

import (
	"bytes"
	"iter"
	"slices"
	"strings"

	"github.com/cairn-kb/cairn/internal/doc"
)

// block is a paragraph or list item that describes the page. Its lines are spans without
// indentation, quote and list markers.
type block struct {
	spans  []doc.Span
	on     string // date of its timeline entry
	source string
	entry  bool
	scope  int // the same for all blocks of a section
}

// maxBlock is the size from which a paragraph is read in parts, since it is not real prose.
const maxBlock = 64 << 10

// blocks yields the blocks of a node, except headings, code, tables, comments, nested items,
// and quotations below the summary.
func (c Cues) blocks() iter.Seq[block] {
	return func(yield func(block) bool) {
		d, n := c.Document, &c.Document.Nodes[c.Node]
		s := scanner{d: d, yield: yield}
		for _, part := range d.Own(c.Node, n.Truth) {
			s.scan(part)
		}
		for _, e := range n.Entries {
			if s.stopped {
				return
			}
			if !c.mayEnd(e.Span) && !mayHold(d.Text[e.Span.Start:e.Span.End]) {
				continue
			}
			i := bytes.Index(d.Text[e.Span.Start:e.Span.End], []byte(e.Text))
			if i < 0 || e.Text == "" {
				continue
			}
			first := doc.Span{Start: e.Span.Start + i, End: e.Span.Start + i + len(e.Text)}
			in := scanner{d: d, nested: true, open: &block{spans: []doc.Span{first}}}
			in.yield = func(b block) bool {
				b.on, b.source, b.entry = e.Date, e.Source, true
				s.stopped = !yield(b)
				return !s.stopped
			}
			if end := doc.LineEnd(d.Text, first.End); end < e.Span.End {
				in.scan(doc.Span{Start: end, End: e.Span.End})
			} else {
				in.flush()
			}
		}
	}
}

// scanner finds blocks line by line.
type scanner struct {
	d       *doc.Document
	yield   func(block) bool
	stopped bool // by yield
	nested  bool // all lines belong to one item
	open    *block
	size    int // of the open block
	quotes  int // number of quotations so far
	quoting bool
	item    bool   // the open block is a list item
	skip    string // end of the part being skipped
	inner   bool   // the previous line belongs to a nested item of an entry
	scope   int
}

func (s *scanner) flush() {
	s.yieldOpen()
	s.open, s.item = nil, false
}

func (s *scanner) yieldOpen() {
	if s.open != nil && len(s.open.spans) > 0 && !s.stopped {
		s.open.scope = s.scope
		s.stopped = !s.yield(*s.open)
	}
}

func (s *scanner) scan(part doc.Span) {
	text := s.d.Text
	for at := part.Start; at < part.End && !s.stopped; {
		end := min(doc.LineEnd(text, at), part.End)
		s.line(at, end)
		at = end
	}
	s.flush()
}

// line adds a line to the open block, or ends the block.
func (s *scanner) line(at, end int) {
	text := s.d.Text
	line := withoutEnd(text[at:end])
	body := withoutIndent(line)
	indent := len(line) - len(body)
	lower := body // where a marker may follow
	if s.skip != "" || hasPrefix(body, "#+") || hasPrefix(body, ":") {
		lower = bytes.ToLower(body)
	}
	quoted := false
	defer func() { s.quoting = quoted || s.quoting && s.skip != "" }()
	switch {
	case s.skip != "":
		if hasPrefix(lower, s.skip) || (s.skip == "-->" || s.skip == "%%") && bytes.Contains(line, []byte(s.skip)) {
			s.skip = ""
		}
		return
	case hasPrefix(body, "```"), hasPrefix(body, "~~~"):
		s.flush()
		s.skip = string(body[:3])
		return
	case s.d.Format == doc.Org && hasPrefix(lower, "#+begin_quote"):
		s.flush()
		if s.quotes++; s.quotes > 1 {
			s.skip = "#+end"
		}
		return
	case hasPrefix(lower, "#+begin"):
		s.flush()
		s.skip = "#+end"
		return
	case string(lower) == ":properties:", string(lower) == ":logbook:":
		s.flush()
		s.skip = ":end:"
		return
	}
	// Comments within the line are left out.
	from := at + indent
	if i := bytes.Index(body, []byte("<!--")); i >= 0 && s.d.Format != doc.Org {
		if j := bytes.Index(body[i:], []byte("-->")); j < 0 {
			s.skip = "-->"
		} else if len(bytes.TrimSpace(body[i+j+3:])) > 0 {
			s.flush() // text around a comment
			return
		}
		body = bytes.TrimRight(body[:i], " \t")
	}
	if hasPrefix(body, "%%") {
		if s.flush(); bytes.Count(body, []byte("%%")) < 2 {
			s.skip = "%%"
		}
		return
	}
	if s.heading(line, body) {
		s.flush()
		s.scope++
		return
	}
	switch {
	case len(body) > 0 && consistsOf(body, "="):
		s.open = nil // the underline of a heading
	case consistsOf(body, "-*_ "), body[0] == '#' && !isTag(body), body[0] == '|', hasPrefix(body, ": ") || string(body) == ":":
		s.flush()
		s.inner = false
	case body[0] == '>' && s.d.Format != doc.Org:
		if !s.quoting {
			s.quotes++
			s.flush()
		}
		quoted = true
		rest := bytes.TrimLeft(body[1:], " \t>")
		if s.quotes > 1 || s.nested || len(rest) == 0 || hasPrefix(rest, "[!") {
			s.flush()
			return
		}
		s.take(from+len(body)-len(rest), len(rest))
	case marker(body) > 0:
		s.flush()
		if s.inner = s.nested; indent >= 2 || s.nested {
			return
		}
		n := marker(body)
		s.open, s.item = &block{}, true
		s.take(from+n, len(body)-n)
	case indent >= 4 && !s.item && !s.nested && s.open == nil && s.d.Format != doc.Org:
		return // code
	case indent >= 2 && s.open == nil && !s.nested, s.inner:
		return // of a nested item
	default:
		s.take(from, len(body))
	}
}

// take adds a line to the open block.
func (s *scanner) take(at, length int) {
	if s.open != nil && s.size+length > maxBlock {
		s.yieldOpen()
		s.open = nil
	}
	if s.open == nil || len(s.open.spans) == 0 {
		s.open, s.size = &block{}, 0
	}
	if s.size += length; length > 0 {
		s.open.spans = append(s.open.spans, doc.Span{Start: at, End: at + length})
	}
}

// heading reports whether a line is a heading.
func (s *scanner) heading(line, body []byte) bool {
	mark, in := byte('#'), body
	if s.d.Format == doc.Org {
		mark, in = '*', line
	}
	n := 0
	for n < len(in) && in[n] == mark {
		n++
	}
	if n == len(in) {
		return n > 0 && s.d.Format != doc.Org
	}
	return n > 0 && in[n] == ' '
}

// isTag reports whether a line that begins with "#" begins with a tag.
func isTag(body []byte) bool {
	return len(body) > 1 && !slices.Contains([]byte("#+ "), body[1])
}

// marker is the length of a list marker with its blanks, 0 for none.
func marker(body []byte) int {
	n := 0
	switch c := body[0]; {
	case c == '-' || c == '+' || c == '*':
		n = 1
	default:
		for n < len(body) && n < 3 && '0' <= body[n] && body[n] <= '9' {
			n++
		}
		if n == 0 || n == len(body) || body[n] != '.' && body[n] != ')' {
			return 0
		}
		n++
	}
	if n == len(body) || body[n] != ' ' && body[n] != '\t' {
		return 0
	}
	return n + len(body[n:]) - len(withoutIndent(body[n:]))
}

// hasPrefix is bytes.HasPrefix for a constant.
func hasPrefix(text []byte, prefix string) bool {
	return len(text) >= len(prefix) && string(text[:len(prefix)]) == prefix
}

// withoutEnd is a line without blanks at its end.
func withoutEnd(line []byte) []byte {
	for len(line) > 0 && blanks[line[len(line)-1]] == ' ' {
		line = line[:len(line)-1]
	}
	return line
}

// withoutIndent is a line without blanks at its start.
func withoutIndent(line []byte) []byte {
	for len(line) > 0 && (line[0] == ' ' || line[0] == '\t') {
		line = line[1:]
	}
	return line
}

// consistsOf reports whether a line has no other characters than these.
func consistsOf(line []byte, these string) bool {
	for _, c := range line {
		if strings.IndexByte(these, c) < 0 {
			return false
		}
	}
	return true
}
