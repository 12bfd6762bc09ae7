package org

import (
	"bytes"

	"github.com/cairn-kb/cairn/internal/doc"
)

// A drawer is a property drawer.
type drawer struct {
	span  doc.Span // first to last line with line ends
	open  doc.Span // the line :PROPERTIES:
	end   doc.Span // the line :END:
	lines []propertyLine
}

// A propertyLine is ":key: value", or ":key+: value" which adds to a key.
type propertyLine struct {
	key   string // lower case, without the plus sign
	keyAt doc.Span
	plus  bool
	value doc.Span // trimmed; empty after the colon if there is none
	line  doc.Span // with its line end
}

// readDrawer reads the properties between two lines; it returns false if a line is not a
// property.
func readDrawer(text []byte, open, end doc.Span) (*drawer, bool) {
	d := &drawer{span: doc.Span{Start: open.Start, End: end.End}, open: open, end: end}
	for pos := open.End; pos < end.Start; {
		stop, next := lineEnd(text, pos)
		p, ok := readProperty(text, pos, stop)
		if !ok {
			return nil, false
		}
		p.line = doc.Span{Start: pos, End: next}
		d.lines = append(d.lines, p)
		pos = next
	}
	return d, true
}

func readProperty(text []byte, start, end int) (propertyLine, bool) {
	c := cursor{text, start, end}
	c.trim()
	if c.pos == c.end || text[c.pos] != ':' {
		return propertyLine{}, false
	}
	c.pos++
	n := bytes.IndexAny(text[c.pos:c.end], ": \t")
	if n <= 0 || n > maxName || text[c.pos+n] != ':' {
		return propertyLine{}, false
	}
	p := propertyLine{keyAt: doc.Span{Start: c.pos, End: c.pos + n}}
	key := bytes.ToLower(text[c.pos : c.pos+n])
	if c.pos += n + 1; c.pos < c.end && text[c.pos] != ' ' && text[c.pos] != '\t' {
		return propertyLine{}, false
	}
	if len(key) > 1 && key[len(key)-1] == '+' {
		p.plus, key = true, key[:len(key)-1]
	}
	p.key = string(key)
	c.trim()
	p.value = doc.Span{Start: c.pos, End: c.end}
	return p, true
}
