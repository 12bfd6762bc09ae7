package markdown

import "bytes"

// cursor is a position in a line. As in CommonMark, a tab extends to the next multiple of
// four columns; skip may stop within a tab.
type cursor struct {
	text []byte
	pos  int
	end  int // of the line, without line ending
	col  int // column reached
	pcol int // column at which the byte at pos starts; less than col within a tab
}

// indent returns the number of columns of white space at the cursor.
func (c *cursor) indent() int {
	width := c.pcol
	for i := c.pos; i < c.end; i++ {
		switch c.text[i] {
		case ' ':
			width++
		case '\t':
			width += 4 - width%4
		default:
			return width - c.col
		}
	}
	return width - c.col
}

// indentTo is indent with a limit, since a line may be indented by far more columns than
// matter.
func (c *cursor) indentTo(limit int) int {
	width := c.pcol
	for i := c.pos; i < c.end && width-c.col < limit; i++ {
		switch c.text[i] {
		case ' ':
			width++
		case '\t':
			width += 4 - width%4
		default:
			return width - c.col
		}
	}
	return min(width-c.col, limit)
}

// skip consumes columns of white space, which must exist.
func (c *cursor) skip(columns int) {
	c.col += columns
	for c.pos < c.end && c.pcol < c.col {
		next := c.pcol + 1
		if c.text[c.pos] == '\t' {
			next = c.pcol + 4 - c.pcol%4
		}
		if next > c.col {
			return
		}
		c.pcol = next
		c.pos++
	}
}

// skipBlanks consumes all white space and returns the new position.
func (c *cursor) skipBlanks() int {
	c.skip(c.indent())
	return c.pos
}

// next returns the next byte other than white space, 0 at the end.
func (c *cursor) next() byte {
	for i := c.pos; i < c.end; i++ {
		if c.text[i] != ' ' && c.text[i] != '\t' {
			return c.text[i]
		}
	}
	return 0
}

func (c *cursor) blank() bool { return c.next() == 0 }

// rest returns the text after the white space.
func (c *cursor) rest() []byte {
	for i := c.pos; i < c.end; i++ {
		if c.text[i] != ' ' && c.text[i] != '\t' {
			return c.text[i:c.end]
		}
	}
	return nil
}

// bytes consumes n bytes, none of them white space.
func (c *cursor) bytes(n int) {
	c.pos += n
	c.col += n
	c.pcol = c.col
}

// quote consumes a quotation's marker and the blank after it.
func (c *cursor) quote() {
	c.skip(c.indent())
	c.bytes(1)
	if c.indent() > 0 {
		c.skip(1)
	}
}

// tabbedItem reports whether a list item follows that is indented by tabs only. CommonMark
// reads it as code if no list is open, but outliners write lists in this way.
func (c *cursor) tabbedItem() bool {
	rest := c.rest()
	return c.text[c.pos] == '\t' && len(rest) > 1 && (rest[0] == '-' || rest[0] == '*' || rest[0] == '+') &&
		rest[1] == ' ' && !bytes.ContainsRune(c.text[c.pos:c.end-len(rest)], ' ')
}

// marker reads a list item's marker. It returns the indentation of the item's content and
// its start. Within a paragraph only items with content, and numbers that start at 1, start
// a list.
func (c cursor) marker(inParagraph bool) (width int, content cursor, ok bool) {
	indent := c.indent()
	c.skip(indent)
	n := 1
	if isDigit(c.text[c.pos]) {
		for n = 0; c.pos+n < c.end && isDigit(c.text[c.pos+n]); n++ {
		}
		if n > 9 || c.pos+n == c.end || c.text[c.pos+n] != '.' && c.text[c.pos+n] != ')' {
			return 0, c, false
		}
		if inParagraph && (n != 1 || c.text[c.pos] != '1') {
			return 0, c, false
		}
		n++
	}
	c.bytes(n)
	width = indent + n
	blanks := c.indent()
	switch {
	case c.blank():
		if inParagraph {
			return 0, c, false
		}
		return width + 1, c, true
	case blanks == 0:
		return 0, c, false
	case blanks > 4: // one blank, then indented code
		blanks = 1
	}
	c.skip(blanks)
	return width + blanks, c, true
}
