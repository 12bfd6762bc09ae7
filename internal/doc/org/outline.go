package org

import (
	"bytes"

	"github.com/cairn-kb/cairn/internal/doc"

	"github.com/cairn-kb/cairn/internal/kb/lazyregexp"
)

// An outline is the structure of a text: its headings as a tree, and the blocks and drawers
// between them. It contains no facts.
type outline struct {
	text     []byte
	todo     todoWords
	head     doc.Span // of the file: drawer and keywords; empty at 0 if there are none
	drawer   *drawer  // of the file
	broken   bool     // the file starts with a property drawer that cannot be read
	keywords []keyword
	headings []heading
	areas    []area // in order, without overlap
	warnings []warning
}

// An area is a run of lines that are not ordinary text.
type area struct {
	kind areaKind
	name string
	span doc.Span // first to last line, both included
	body doc.Span // the lines between
}

type areaKind uint8

const (
	verbatimArea areaKind = iota // plain text without markup
	quotedArea                   // a block with markup: links count, list items do not
	drawerArea                   // a drawer without properties, read like quotedArea
	headArea                     // metadata of the file or of a heading
)

type warning struct {
	code, text string
	at         int
}

// verbatimBlocks are the blocks that Org does not parse.
var verbatimBlocks = map[string]bool{"src": true, "example": true, "export": true, "comment": true}

// readOutline determines which marks are part of the outline.
func readOutline(text []byte) *outline {
	o := &outline{text: text}
	marks := collectMarks(text)
	o.todo = readTodoWords(text, marks)
	o.headings = make([]heading, 0, countHeadings(marks))
	b := outliner{outline: o, marks: marks}
	b.fileHead()
	for b.i < len(marks) {
		b.step()
	}
	b.closeTo(0, len(text))
	b.preamble()
	return o
}

func countHeadings(marks []mark) int {
	n := 0
	for _, m := range marks {
		if m.kind == headingMark {
			n++
		}
	}
	return n
}

// outliner walks over the marks.
type outliner struct {
	*outline
	marks   []mark
	i       int // next mark
	heading int // index of the next heading mark after i, kept by nextHeading
	ending  int // index of the next drawer end after i, kept by nextEnd
	open    []int
}

func (b *outliner) step() {
	m := b.marks[b.i]
	switch m.kind {
	case headingMark:
		b.headingAt(m)
	case beginMark:
		b.block(m)
	case drawerMark:
		if m.name == "properties" {
			b.warn("drawer-misplaced", "A property drawer that does not follow its heading or open the file is ordinary text.", m.line.Start)
		}
		b.plainDrawer(m)
	default:
		b.i++
	}
}

func (b *outliner) warn(code, text string, at int) {
	b.warnings = append(b.warnings, warning{code, text, at})
}

// block consumes a begin line and everything up to its end line. If its end comes only after
// a heading and another begin of the same name, the begin line has lost its own end, and is
// text.
func (b *outliner) block(m mark) {
	heading := b.nextHeading()
	lost := m.next < 0 || heading >= 0 && m.open >= 0 && heading < m.open && m.open < m.next
	if lost {
		b.warn("block-unclosed", "A block has no end line; its begin line is ordinary text.", m.line.Start)
		b.i++
		return
	}
	if heading >= 0 && heading < m.next {
		b.warn("heading-in-block", "A line in a block starts with a star; Org wants a comma before it.", b.marks[heading].line.Start)
	}
	end := b.marks[m.next].line
	kind := quotedArea
	if verbatimBlocks[m.name] {
		kind = verbatimArea
	}
	b.areas = append(b.areas, area{kind, m.name,
		doc.Span{Start: m.line.Start, End: end.End}, doc.Span{Start: m.line.End, End: end.Start}})
	b.i = m.next + 1
}

// plainDrawer consumes a drawer up to its :END:, which must come before the next heading.
func (b *outliner) plainDrawer(m mark) {
	end, ok := b.drawerEnd()
	if !ok {
		b.i++
		return
	}
	last := b.marks[end].line
	b.areas = append(b.areas, area{drawerArea, m.name,
		doc.Span{Start: m.line.Start, End: last.End}, doc.Span{Start: m.line.End, End: last.Start}})
	b.i = end + 1
}

// drawerEnd returns the index of the :END: that closes the drawer at b.i.
func (b *outliner) drawerEnd() (int, bool) {
	b.ending = max(b.ending, b.i+1)
	for b.ending < len(b.marks) && b.marks[b.ending].kind != drawerEnd {
		b.ending++
	}
	if b.ending == len(b.marks) {
		return 0, false
	}
	if h := b.nextHeading(); h >= 0 && h < b.ending {
		return 0, false
	}
	return b.ending, true
}

// nextHeading returns the index of the first heading mark after b.i, -1 if there is none.
// Like b.i, it only moves forward.
func (b *outliner) nextHeading() int {
	b.heading = max(b.heading, b.i+1)
	for b.heading < len(b.marks) && b.marks[b.heading].kind != headingMark {
		b.heading++
	}
	if b.heading == len(b.marks) {
		return -1
	}
	return b.heading
}

// fileHead reads the property drawer and the keywords at the start of the file. Comments and
// blank lines may come before and between them.
func (b *outliner) fileHead() {
	last := 0
	for pos := 0; pos < len(b.text); {
		end, next := lineEnd(b.text, pos)
		line := b.text[pos:end]
		switch {
		case isBlank(line) || isComment(line):
		case b.drawer == nil && b.keywords == nil && b.at(pos, drawerMark, "properties"):
			d, ok := b.propertyDrawer()
			if !ok {
				b.broken = true
				return
			}
			b.drawer, next = d, d.span.End
			last = next
		default:
			if b.drawer == nil && b.keywords == nil && b.misspelt(pos) {
				b.broken = true
				return
			}
			k, ok := readKeyword(b.text, doc.Span{Start: pos, End: next})
			if !ok || affiliated[k.key] || b.i < len(b.marks) && b.marks[b.i].line.Start == pos {
				b.head.End = last
				b.addHead(b.head)
				return
			}
			b.keywords = append(b.keywords, k)
			last = next
		}
		pos = next
	}
	b.head.End = last
	b.addHead(b.head)
}

// drawerWord matches misspelled lines for the start of a property drawer.
var drawerWord = lazyregexp.New(`(?i)^[ \t]*:?propert(?:y|ies)(?:[ \t]*:.*)?[ \t]*$`)

// misspelt reports whether a line is a misspelled start of a property drawer, with a
// property below it, and adds a warning: Emacs reads no ID there.
func (b *outliner) misspelt(pos int) bool {
	end, next := lineEnd(b.text, pos)
	if pos == end || b.at(pos, drawerMark, "properties") || !drawerWord().Match(b.text[pos:end]) {
		return false
	}
	stop, _ := lineEnd(b.text, next)
	if _, ok := readProperty(b.text, next, stop); !ok {
		return false
	}
	b.warn("drawer-malformed", "This line should be :PROPERTIES: to open a property drawer; the properties below it, an ID among them, are ordinary text.", pos)
	return true
}

// preamble adds the titles and tags in the text before the first heading, where Emacs reads
// them as well.
func (b *outliner) preamble() {
	end := len(b.text)
	if len(b.headings) > 0 {
		end = b.headings[0].line.Start
	}
	areas := b.areas
	for pos := b.head.End; pos < end; {
		for len(areas) > 0 && areas[0].span.End <= pos {
			areas = areas[1:]
		}
		if len(areas) > 0 && areas[0].span.Start <= pos && areas[0].kind != headArea {
			pos = areas[0].span.End
			continue
		}
		stop, next := lineEnd(b.text, pos)
		if bytes.Contains(b.text[pos:min(stop, pos+maxName)], []byte("#+")) {
			if k, ok := readKeyword(b.text, doc.Span{Start: pos, End: next}); ok && (k.key == "title" || k.key == "filetags") {
				b.keywords = append(b.keywords, k)
			}
		}
		pos = next
	}
}

func (b *outliner) addHead(span doc.Span) {
	if span.Len() > 0 {
		b.areas = append(b.areas, area{kind: headArea, span: span, body: span})
	}
}

// at reports whether the next mark is of this kind and name and starts at pos.
func (b *outliner) at(pos int, kind markKind, name string) bool {
	if b.i == len(b.marks) {
		return false
	}
	m := b.marks[b.i]
	return m.kind == kind && m.name == name && m.line.Start == pos
}

// propertyDrawer reads the drawer at the next mark and moves past it. A drawer without an
// end, or with a line that is not a property, is skipped.
func (b *outliner) propertyDrawer() (*drawer, bool) {
	m := b.marks[b.i]
	end, ok := b.drawerEnd()
	if !ok {
		b.warn("drawer-unclosed", "A property drawer has no :END: line; it is ordinary text.", m.line.Start)
		b.i++
		return nil, false
	}
	d, ok := readDrawer(b.text, m.line, b.marks[end].line)
	if !ok {
		b.warn("drawer-malformed", "A property drawer has a line that is not a property; it is treated as text.", m.line.Start)
		b.plainDrawer(m)
		return nil, false
	}
	b.i = end + 1
	return d, true
}

// headingAt opens a heading and reads its planning lines and its drawer.
func (b *outliner) headingAt(m mark) {
	b.i++
	end, _ := lineEnd(b.text, m.line.Start)
	h := readHeading(b.text, doc.Span{Start: m.line.Start, End: end}, b.todo)
	h.line = m.line
	b.closeTo(h.level, m.line.Start)
	h.parent = -1
	if n := len(b.open); n > 0 {
		h.parent = b.open[n-1]
	}
	body := m.line.End
	if end, next := lineEnd(b.text, body); isPlanning(b.text[body:end]) {
		b.addHead(doc.Span{Start: body, End: next})
		body = next
	}
	if b.at(body, drawerMark, "properties") {
		if d, ok := b.propertyDrawer(); ok {
			b.addHead(d.span)
			h.drawer, body = d, d.span.End
		} else {
			h.broken = true
		}
	} else if b.misspelt(body) {
		h.broken = true
	}
	h.head = doc.Span{Start: m.line.End, End: body}
	b.open = append(b.open, len(b.headings))
	b.headings = append(b.headings, h)
}

// closeTo ends every open heading of this level or deeper at pos.
func (b *outliner) closeTo(level, pos int) {
	for n := len(b.open); n > 0 && b.headings[b.open[n-1]].level >= level; n-- {
		b.headings[b.open[n-1]].end = pos
		b.open = b.open[:n-1]
	}
}
