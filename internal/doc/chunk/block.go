package chunk

import (
	"bytes"

	"github.com/cairn-kb/cairn/internal/doc"
)

// block is a paragraph, a top-level list item with its content, or a block of code.
type block struct {
	kind blockKind
	span doc.Span // whole lines
}

type blockKind uint8

const (
	prose blockKind = iota
	listItem
	verbatim
	hidden // a drawer: read as metadata, not as text
)

// blocks calls emit for the blocks in a span, based on its lines. It knows only enough of
// both formats to cut between blocks; a mistake results in a worse cut, not in lost text. An
// unclosed code block extends to the end of the span.
func blocks(text []byte, span doc.Span, org bool, emit func(block)) {
	s := blockScanner{text: text, org: org, emit: emit}
	for at := span.Start; at < span.End; {
		end := min(doc.LineEnd(text, at), span.End)
		s.line(at, end)
		at = end
	}
	if s.found {
		emit(s.last)
	}
}

type blockScanner struct {
	text []byte
	org  bool
	emit func(block)

	last   block // found but not emitted yet
	found  bool  // last is valid
	open   bool  // the last block may continue
	blank  bool  // the last line was blank
	indent int   // of the open list item
	fence  []byte
}

func (s *blockScanner) line(at, end int) {
	line := bytes.TrimRight(s.text[at:end], " \t\r\n")
	indent, rest := indentation(line)
	blank := s.blank
	s.blank = len(rest) == 0
	if s.open && s.last.kind == hidden && !bytes.HasPrefix(rest, []byte(":")) {
		s.open = false // an unclosed drawer contains nothing else
	}
	switch {
	case s.fence != nil:
		s.extend(end)
		if s.closes(rest) {
			s.open = s.last.kind == listItem
			s.fence = nil
		}
	case len(rest) == 0:
		// An item can continue after a blank line; its indentation shows where
		// it ends.
		s.open = s.open && s.last.kind == listItem
	case s.open && s.last.kind == hidden:
		s.extend(end)
		s.open = !bytes.EqualFold(rest, []byte(":END:"))
	case s.org && bytes.EqualFold(rest, []byte(":PROPERTIES:")):
		s.start(hidden, at, end)
	case s.inItem() && indent > s.indent:
		s.opens(rest)
		s.extend(end)
	case s.opens(rest):
		s.start(verbatim, at, end)
	case isRule(rest):
		s.open = false
	case s.startsItem(rest, indent):
		s.start(listItem, at, end)
		s.indent = indent
		s.opens(afterMarker(rest, s.org))
	case s.open && !blank && (!s.org || !s.inItem()):
		s.extend(end) // also the lazy continuation of a Markdown item
	default:
		s.start(prose, at, end)
	}
}

func (s *blockScanner) inItem() bool { return s.open && s.last.kind == listItem }

func (s *blockScanner) start(kind blockKind, at, end int) {
	if s.found {
		s.emit(s.last)
	}
	s.last, s.found, s.open = block{kind, doc.Span{Start: at, End: end}}, true, true
}

func (s *blockScanner) extend(end int) { s.last.span.End = end }

// startsItem reports whether a line starts a list item. As in CommonMark, only the number 1
// starts a list within a paragraph, since a line may start with a year.
func (s *blockScanner) startsItem(rest []byte, indent int) bool {
	n := markerLength(rest, s.org, indent)
	if n == 0 {
		return false
	}
	inProse := s.open && s.last.kind == prose
	return !inProse || s.org || rest[0] > '9' || rest[0] < '0' || n == 2 && rest[0] == '1'
}

// opens reports whether a line starts a code block, and records how it ends.
func (s *blockScanner) opens(rest []byte) bool {
	if s.org {
		if len(rest) < len("#+begin_") || !bytes.EqualFold(rest[:len("#+begin_")], []byte("#+begin_")) {
			return false
		}
		name := rest[len("#+begin_"):]
		if i := bytes.IndexAny(name, " \t"); i >= 0 {
			name = name[:i]
		}
		s.fence = append([]byte("#+end_"), name...)
		return true
	}
	n := run(rest)
	if n < 3 || rest[0] != '`' && rest[0] != '~' || rest[0] == '`' && bytes.IndexByte(rest[n:], '`') >= 0 {
		return false
	}
	s.fence = rest[:n]
	return true
}

func (s *blockScanner) closes(rest []byte) bool {
	if s.org {
		return bytes.EqualFold(rest, s.fence)
	}
	return len(rest) >= len(s.fence) && rest[0] == s.fence[0] && run(rest) == len(rest)
}

// run returns how often the first byte of b is repeated at its start.
func run(b []byte) int {
	n := 0
	for n < len(b) && b[n] == b[0] {
		n++
	}
	return n
}

// isRule reports whether a line is only a separator.
func isRule(rest []byte) bool {
	if rest[0] != '-' && rest[0] != '*' && rest[0] != '_' {
		return false
	}
	n := 0
	for _, c := range rest {
		switch c {
		case rest[0]:
			n++
		case ' ', '\t':
		default:
			return false
		}
	}
	return n >= 3
}

// markerLength returns the length of the list marker that a line without its
// indentation begins with, 0 when there is none.
func markerLength(rest []byte, org bool, indent int) int {
	n := 0
	for n < len(rest) && n < 9 && rest[n] >= '0' && rest[n] <= '9' {
		n++
	}
	switch {
	case n == len(rest):
		return 0
	case n > 0:
		if rest[n] != '.' && rest[n] != ')' {
			return 0
		}
	case rest[0] == '-' || rest[0] == '+':
	case rest[0] == '*' && (!org || indent > 0):
	default:
		return 0
	}
	n++
	if n < len(rest) && rest[n] != ' ' && rest[n] != '\t' {
		return 0
	}
	return n
}

// afterMarker returns the text after a list marker.
func afterMarker(rest []byte, org bool) []byte {
	_, rest = indentation(rest[markerLength(rest, org, 1):])
	return rest
}

// indentation returns the columns that a line is indented by, and its rest.
func indentation(line []byte) (columns int, rest []byte) {
	for i, c := range line {
		switch c {
		case ' ':
			columns++
		case '\t':
			columns += 4 - columns%4
		default:
			return columns, line[i:]
		}
	}
	return columns, nil
}
