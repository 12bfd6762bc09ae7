package doc

import (
	"bytes"
	"sort"
	"strings"
)

// DetectEOL returns the line ending for new text in this document: that of most
// of its lines, "\n" when there are none.
func DetectEOL(text []byte) string {
	if bytes.IndexByte(text, '\r') < 0 {
		return "\n"
	}
	crlf := bytes.Count(text, []byte("\r\n"))
	if 2*crlf > bytes.Count(text, []byte("\n")) {
		return "\r\n"
	}
	return "\n"
}

// WithEOL returns s with every line ending replaced by eol.
func WithEOL(s, eol string) string {
	s = strings.ReplaceAll(s, "\r\n", "\n")
	if eol == "\n" {
		return s
	}
	return strings.ReplaceAll(s, "\n", eol)
}

// LineAt returns the 1-based line of a byte offset. For many offsets in one
// text use Lines.
func LineAt(text []byte, offset int) int {
	return 1 + bytes.Count(text[:min(offset, len(text))], []byte("\n"))
}

// LineEnd returns the offset after the line that contains offset, its line
// ending included.
func LineEnd(text []byte, offset int) int {
	if i := bytes.IndexByte(text[offset:], '\n'); i >= 0 {
		return offset + i + 1
	}
	return len(text)
}

// LineStart returns the offset at which the line that contains offset starts.
func LineStart(text []byte, offset int) int {
	return bytes.LastIndexByte(text[:offset], '\n') + 1
}

// Blank reports whether b is white space only.
func Blank(b []byte) bool {
	for _, c := range b {
		if c != ' ' && c != '\t' && c != '\r' && c != '\n' {
			return false
		}
	}
	return true
}

// Lines maps byte offsets to lines, in texts of less than 4 GiB.
type Lines struct{ starts []uint32 } // half the memory of ints: a large page has millions of lines

// NewLines reads where the lines of text start.
func NewLines(text []byte) Lines {
	starts := make([]uint32, 1, 1+bytes.Count(text, []byte("\n")))
	for i := 0; ; {
		n := bytes.IndexByte(text[i:], '\n')
		if n < 0 {
			return Lines{starts}
		}
		i += n + 1
		starts = append(starts, uint32(i))
	}
}

// At returns the 1-based line of a byte offset.
func (l Lines) At(offset int) int {
	return sort.Search(len(l.starts), func(i int) bool { return int(l.starts[i]) > offset })
}

// CutLines returns lines first to last of the span, counted from 1; to its end
// unless bounded.
func CutLines(text []byte, span Span, first, last int, bounded bool) Span {
	at, start, end := span.Start, span.End, span.End
	for n := 1; at < span.End; n++ {
		next := span.End
		if i := bytes.IndexByte(text[at:span.End], '\n'); i >= 0 {
			next = at + i + 1
		}
		if n == max(first, 1) {
			start = at
		}
		if bounded && n == last {
			end = next
			break
		}
		at = next
	}
	if start > end {
		start = end
	}
	return Span{Start: start, End: end}
}
