package lsp

import (
	"sort"
	"unicode/utf8"

	"github.com/cairn-kb/cairn/internal/doc"
)

// encoding is how the characters of a line are counted.
type encoding string

// The encodings.
const (
	utf8Units  encoding = "utf-8"
	utf16Units encoding = "utf-16" // of every client
	utf32Units encoding = "utf-32"
)

// units returns how many units a character has that starts a text, and how many bytes.
func (e encoding) units(text []byte) (units, size int) {
	r, size := utf8.DecodeRune(text)
	switch {
	case e == utf8Units:
		return size, size
	case e == utf16Units && r >= 0x10000:
		return 2, size
	}
	return 1, size
}

// textMap maps the offsets of a text to positions, and back.
type textMap struct {
	text   []byte
	starts []int // of lines
	units  encoding
	bom    int // units of a byte order mark that the editor has before the text
}

// newTextMap reads the lines of a text. They end in LF, CR LF or CR.
func newTextMap(text []byte, units encoding) *textMap {
	m := &textMap{text: text, starts: []int{0}, units: units}
	for i, c := range text {
		if c == '\n' || c == '\r' && (i+1 == len(text) || text[i+1] != '\n') {
			m.starts = append(m.starts, i+1)
		}
	}
	return m
}

// line returns the bytes of a line, without its end.
func (m *textMap) line(n int) (start, end int) {
	start, end = m.starts[n], len(m.text)
	if n+1 < len(m.starts) {
		end = m.starts[n+1]
	}
	for end > start && (m.text[end-1] == '\n' || m.text[end-1] == '\r') {
		end--
	}
	return start, end
}

// offset returns the offset of a position: the nearest in the text, and the start of a
// character that it is within.
func (m *textMap) offset(p position) int {
	if p.Line < 0 {
		return 0
	}
	if p.Line >= len(m.starts) {
		return len(m.text)
	}
	at, end := m.line(p.Line)
	left := p.Character
	if p.Line == 0 {
		left -= m.bom
	}
	for at < end && left > 0 {
		units, size := m.units.units(m.text[at:end])
		if left -= units; left < 0 {
			break
		}
		at += size
	}
	return at
}

// position returns the position of an offset.
func (m *textMap) position(offset int) position {
	offset = min(max(offset, 0), len(m.text))
	n := sort.SearchInts(m.starts, offset+1) - 1
	p := position{Line: n}
	if n == 0 {
		p.Character = m.bom
	}
	for at := m.starts[n]; at < offset; {
		units, size := m.units.units(m.text[at:])
		p.Character, at = p.Character+units, at+size
	}
	return p
}

// span returns the positions of a span.
func (m *textMap) span(s doc.Span) span {
	return span{m.position(s.Start), m.position(s.End)}
}

// inLine returns the positions of the first line of a span, without its end.
func (m *textMap) inLine(s doc.Span) span {
	start := m.position(s.Start)
	_, end := m.line(start.Line)
	return span{start, m.position(min(max(s.Start, end), max(s.Start, s.End)))}
}
