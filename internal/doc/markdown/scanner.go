package markdown

import (
	"bytes"
	"strings"

	"github.com/cairn-kb/cairn/internal/doc"
)

// maxDepth bounds the nesting of quotations and lists; anything deeper is text
// of the innermost. Real pages stay below ten.
const maxDepth = 200

// container is an open quotation or list item.
type container struct {
	quote  bool
	indent int // list item: indentation of its content in columns, relative to the surrounding container
}

// leaf is the kind of block that the next line may continue.
type leaf int

const (
	none leaf = iota
	paragraph
	fence
	htmlBlock
)

// scanner reads a page's blocks, line by line.
type scanner struct {
	d    *doc.Document
	n    *doc.Node
	text []byte

	open      []container
	lastQuote int // index of the innermost open quotation, -1 when there is none

	leaf      leaf
	fenceChar byte
	fenceLen  int
	htmlBegin string // start of the HTML block, if it does not end with a blank line
	htmlEnd   string // the text that ends the HTML block; "" means a blank line
	htmlStart int    // its position, in that case

	para     doc.Span // the open paragraph, from its first line's content to its last line's end
	paraLine doc.Span // the first line of the paragraph, whole
	paraItem bool     // the paragraph is the first of a list item
	itemLine bool     // a list item started on this line
	tailEnd  int      // end of the last line that was not blank

	noBreak struct { // byte before which breaks of a character cannot start
		char byte
		at   int
	}

	lineFound  bool // the line between truth and timeline was seen
	quoteFresh bool // a top-level quotation has just begun
	sections   sections
	entry      entryState
	links      linkScanner
}

func newScanner(d *doc.Document, syntax doc.Syntax) *scanner {
	return &scanner{
		d: d, n: &d.Nodes[0], text: d.Text, lastQuote: -1,
		links: newLinkScanner(d.Text, syntax), entry: entryState{index: -1},
	}
}

// scan reads the body from start. The text before skip is frontmatter that could not be
// parsed: it is read as text with links, but without structure, since its last fence would
// otherwise make a heading of it.
func (s *scanner) scan(start, skip int) {
	s.n.Truth = doc.Span{Start: start, End: len(s.text)}
	s.n.Timeline = doc.Span{Start: len(s.text), End: len(s.text)}
	if start < skip {
		s.links.scan(s.n, start, skip)
	}
	for at := max(start, skip); at < len(s.text); {
		end := doc.LineEnd(s.text, at)
		s.line(at, end)
		at = end
	}
	s.closeContainers(0)
	s.endPage()
}

// line reads one line, [at, end) with its line ending.
func (s *scanner) line(at, end int) {
	s.itemLine = false
	c := cursor{text: s.text, pos: at, end: at + len(trimEOL(s.text[at:end]))}
	blank := doc.Blank(s.text[at:c.end])
	matched := s.match(&c, blank)
	all := matched == len(s.open)

	switch s.leaf {
	case fence:
		if all {
			s.fenceLine(c)
			s.content(end, blank)
			return
		}
		s.leaf = none
	case htmlBlock:
		if all && s.htmlLine(c, blank) {
			s.content(end, blank)
			return
		}
		s.leaf = none
	}
	if blank {
		s.endParagraph()
		s.closeContainers(matched)
		return
	}
	s.blocks(c, matched, doc.Span{Start: at, End: end})
	s.tailEnd = end
}

// content records a line that belongs to the open leaf.
func (s *scanner) content(end int, blank bool) {
	if !blank {
		s.tailEnd = end
	}
}

// match consumes the prefixes of the open containers that this line continues and returns
// their number.
func (s *scanner) match(c *cursor, blank bool) int {
	for i, o := range s.open {
		if blank {
			// A blank line continues list items, but not quotations. Only the first
			// quotation matters; there may be many open items.
			if s.lastQuote < i {
				return len(s.open)
			}
			for ; !s.open[i].quote; i++ {
			}
			return i
		}
		switch {
		case !o.quote && c.indentTo(o.indent) == o.indent:
			c.skip(o.indent)
		case o.quote && c.indentTo(4) < 4 && c.next() == '>':
			c.quote()
			blank = c.blank()
		default:
			return i
		}
	}
	return len(s.open)
}

// blocks opens the blocks that start on this line and reads the rest as a leaf.
func (s *scanner) blocks(c cursor, matched int, line doc.Span) {
	lazy := s.leaf == paragraph // the line may continue the paragraph even if containers do not match
	for {
		if c.indentTo(4) == 4 && !c.tabbedItem() {
			break
		}
		ch := c.next()
		switch {
		case ch == '>' && len(s.open) < maxDepth:
			s.enter(&matched, &lazy)
			c.quote()
			s.push(container{quote: true})
			matched++
			continue
		case ch == '#' && s.atx(c, matched, line):
			return
		case (ch == '`' || ch == '~') && s.openFence(c, matched):
			return
		case ch == '<' && s.openHTML(c, matched, lazy):
			return
		case (ch == '-' || ch == '=') && lazy && matched == len(s.open) && s.setext(c, line):
			return
		case (ch == '-' || ch == '*' || ch == '_') && s.isBreak(c):
			s.closeContainers(matched)
			if len(s.open) == 0 && !s.lineFound && isLine(s.text[line.Start:c.end]) && s.timelineFollows(line.End) {
				s.divide(line)
			}
			return
		case ch == '-' || ch == '*' || ch == '+' || isDigit(ch):
			if width, content, ok := c.marker(lazy); ok && len(s.open) < maxDepth {
				s.enter(&matched, &lazy)
				s.push(container{indent: width})
				matched++
				c = content
				s.itemLine = true
				if c.blank() {
					return
				}
				continue
			}
		}
		break
	}
	switch {
	case lazy:
		s.para.End = c.end
	case c.indentTo(4) == 4:
		s.closeContainers(matched) // indented code
	default:
		s.closeContainers(matched)
		s.leaf = paragraph
		s.para = doc.Span{Start: c.skipBlanks(), End: c.end}
		s.paraLine = line
		s.paraItem = s.itemLine
	}
}

// enter closes the unmatched containers before one is opened.
func (s *scanner) enter(matched *int, lazy *bool) {
	s.closeContainers(*matched)
	*lazy = false
}

func (s *scanner) push(c container) {
	if c.quote {
		s.lastQuote = len(s.open)
		if len(s.open) == 0 {
			s.quoteFresh = true
		}
	}
	s.open = append(s.open, c)
}

// closeContainers ends the open leaf and all containers but the first n.
func (s *scanner) closeContainers(n int) {
	s.endParagraph()
	s.leaf = none
	if n == len(s.open) {
		return
	}
	s.open = s.open[:n]
	s.quoteFresh = s.quoteFresh && n > 0
	s.lastQuote = min(s.lastQuote, n-1)
	for s.lastQuote >= 0 && !s.open[s.lastQuote].quote {
		s.lastQuote--
	}
	s.entry.leave(s, n)
}

// isBreak reports whether the rest of the line is a thematic break: three or
// more of one of "-*_" and blanks. The end of the last search is remembered,
// since a line may begin with many markers, each of which might begin a break.
func (s *scanner) isBreak(c cursor) bool {
	rest := c.rest()
	if s.noBreak.char == rest[0] && c.end-len(rest) < s.noBreak.at {
		return false
	}
	count := 0
	for i, b := range rest {
		switch b {
		case rest[0]:
			count++
		case ' ', '\t':
		default:
			s.noBreak.char, s.noBreak.at = rest[0], c.end-len(rest)+i
			return false
		}
	}
	return count >= 3
}

// isLine reports whether a thematic break is the kind that divides a page:
// exactly three hyphens, not indented.
func isLine(line []byte) bool {
	return string(bytes.TrimRight(line, " \t")) == "---"
}

// timelineFollows reports whether a dated entry or the heading "Timeline" follows, also
// below another heading: then a rule is the line between truth and timeline.
func (s *scanner) timelineFollows(at int) bool {
	for below := false; at < len(s.text); at = doc.LineEnd(s.text, at) {
		line := bytes.TrimSpace(s.text[at:doc.LineEnd(s.text, at)])
		if len(line) == 0 {
			continue
		}
		text := string(line)
		if level := runLength(line); line[0] == '#' && level <= 6 {
			text = string(atxContent(bytes.TrimSpace(line[level:])))
			_, dated := doc.ParseEntry(text)
			if dated || strings.EqualFold(text, "timeline") {
				return true
			}
			if below {
				return false
			}
			below = true
			continue
		}
		mark, item, ok := strings.Cut(text, " ")
		if ordered := strings.TrimRight(mark, ".)"); len(mark) > 1 && strings.Trim(ordered, "0123456789") != "" || len(mark) == 1 && strings.IndexByte("-*+", mark[0]) < 0 {
			return false
		}
		_, dated := doc.ParseEntry(strings.TrimSpace(item))
		return ok && dated
	}
	return false
}

// divide ends the truth at a line and starts the timeline after it.
func (s *scanner) divide(line doc.Span) {
	s.lineFound = true
	s.sections.end(s.n, line.Start)
	s.n.Truth.End = line.Start
	s.n.Timeline.Start = line.End
}

// endPage closes everything that is open at the end of the text.
func (s *scanner) endPage() {
	s.entry.close(s)
	s.sections.end(s.n, len(s.text))
	s.d.Echoes, s.d.Files = s.links.resolve(s.n), s.links.files
	s.d.Marks = doc.SettleMarks(s.links.marks.all)
}
