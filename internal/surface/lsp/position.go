package lsp

import (
	"slices"
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
	marks  []mark // in long lines
	bom    int    // units of a byte order mark that the editor has before the text
}

// mark is a character of a long line, from which positions are counted: a line may be a whole
// text.
type mark struct{ at, units int }

// markEvery is how many bytes are between marks.
const markEvery = 1 << 10

// newTextMap reads the lines of a text. They end in LF, CR LF or CR.
func newTextMap(text []byte, units encoding) *textMap {
	m := linesOf(text, units)
	for n := range m.starts {
		start, end := m.line(n)
		if end-start <= markEvery {
			continue
		}
		for at, last, count := start, start, 0; at < end; {
			if at-last >= markEvery {
				m.marks, last = append(m.marks, mark{at, count}), at
			}
			units, size := m.units.units(m.text[at:end])
			at, count = at+size, count+units
		}
	}
	return m
}

// linesOf is newTextMap without marks.
func linesOf(text []byte, units encoding) *textMap {
	m := &textMap{text: text, starts: []int{0}, units: units}
	m.starts = m.startsIn(m.starts, 1, len(text))
	return m
}

// startsIn adds the starts of lines from one offset to another.
func (m *textMap) startsIn(out []int, from, to int) []int {
	for at := max(from, 1); at <= to; at++ {
		if c := m.text[at-1]; c == '\n' || c == '\r' && (at == len(m.text) || m.text[at] != '\n') {
			out = append(out, at)
		}
	}
	return out
}

// replace changes a span of the text, and the lines there. Marks are lost.
func (m *textMap) replace(s doc.Span, text string) {
	m.text = slices.Replace(m.text, s.Start, s.End, []byte(text)...)
	m.marks = nil
	first := max(1, sort.SearchInts(m.starts, s.Start))
	after := max(first, sort.SearchInts(m.starts, s.End+1))
	came := m.startsIn(nil, s.Start, s.Start+len(text))
	for i := after; i < len(m.starts); i++ {
		m.starts[i] += len(text) - s.Len()
	}
	m.starts = slices.Replace(m.starts, first, after, came...)
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
	from, to := m.marksIn(at, end)
	if i := from + sort.Search(to-from, func(i int) bool { return m.marks[from+i].units > left }) - 1; i >= from {
		at, left = m.marks[i].at, left-m.marks[i].units
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

// marksIn returns which marks are between two offsets.
func (m *textMap) marksIn(start, end int) (from, to int) {
	from = sort.Search(len(m.marks), func(i int) bool { return m.marks[i].at >= start })
	to = sort.Search(len(m.marks), func(i int) bool { return m.marks[i].at > end })
	return from, max(from, to)
}

// position returns the position of an offset.
func (m *textMap) position(offset int) position {
	offset = min(max(offset, 0), len(m.text))
	n := sort.SearchInts(m.starts, offset+1) - 1
	p := position{Line: n}
	if n == 0 {
		p.Character = m.bom
	}
	at := m.starts[n]
	if from, to := m.marksIn(at, offset); to > from {
		at = m.marks[to-1].at
		p.Character += m.marks[to-1].units
	}
	for at < offset {
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
