package chunk

import (
	"math"
	"strings"

	"github.com/cairn-kb/cairn/internal/doc"
)

// Split cuts the page that is the given node of d, and returns the number of
// chunks beyond MaxChunks that it left out. The text is taken from d.Text
// alone, so that a caller can hide secrets from the model by passing a copy of
// d with a redacted Text; title, headings, tags and summary are the node's.
// Split panics when the node does not exist.
func Split(d *doc.Document, node int, o Options) (chunks []Chunk, left int) {
	return splitUntil(d, node, math.MaxInt, o)
}

// SplitTo is Split for the chunks up to a line; it may omit later chunks.
func SplitTo(d *doc.Document, node, line int, o Options) []Chunk {
	chunks, _ := splitUntil(d, node, line, o)
	return chunks
}

func splitUntil(d *doc.Document, node, line int, o Options) (chunks []Chunk, left int) {
	n := &d.Nodes[node]
	s := &splitter{
		o: o.withDefaults(), d: d, n: n, title: clip(d.FileTitle(node), maxTitle),
		text:  newRenderer(d, n),
		lines: doc.NewLines(d.Text),
		date:  pageDate(n),
	}
	pieces := cutPieces(d, node)
	for i, p := range pieces {
		if last := len(s.out) - 1; last >= 0 && s.out[last].Lines[0] > line {
			return s.out, s.left
		}
		if p.entry >= 0 {
			s.entry(p)
		} else {
			s.section(p, i+1 < len(pieces) && pieces[i+1].under(p))
		}
	}
	s.flush(false)
	if len(s.out) == 0 && !n.IsHidden() {
		s.empty()
	}
	return s.out, s.left
}

// splitter holds the chunk being filled.
type splitter struct {
	o     Options
	d     *doc.Document
	n     *doc.Node
	title string // clipped
	text  renderer
	lines doc.Lines
	date  string // of the page
	out   []Chunk
	left  int // number of chunks beyond those in out

	place  place  // the context of own
	own    []unit // new text of this chunk
	carry  []unit // repeated from the previous chunk
	tokens int    // of own and carry
	items  int    // list items that start in own
}

// place is the context of a chunk within its page.
type place struct {
	kind Kind
	path string
	date string
}

// section cuts the text under a heading. A heading that only groups others produces no
// chunk.
func (s *splitter) section(p piece, groups bool) {
	at := place{kind: Section, date: s.date}
	if p.heading >= 0 {
		h := s.n.Headings[p.heading]
		at.path = h.Path
		if date, ok := headingDate(h); ok {
			at.date = date
		}
	}
	budget := s.budget(at)
	// Units are kept until it is known whether they fit into the open chunk.
	var first []unit
	total, found, opened := 0, false, false
	keep := func(u unit) {
		first = append(first, u)
		total += u.tokens
		if s.o.ItemsPerChunk > 0 && u.item != 0 {
			total += s.o.MaxTokens // lists are cut separately
		}
	}
	open := func() {
		s.open(at, total, budget)
		for _, u := range first {
			s.add(u, budget)
		}
		first, opened = nil, true
	}
	heading := func(alone bool) {
		if p.line.Len() > 0 {
			for _, u := range s.headingUnits(p, alone, budget) {
				keep(u)
			}
		}
	}
	s.units(p.body, budget, func(u unit) {
		if !found {
			found = true
			heading(false)
		}
		if opened {
			s.add(u, budget)
			return
		}
		if keep(u); s.tokens+total > budget {
			open()
		}
	})
	if !found {
		if p.line.Len() > 0 && groups {
			return
		}
		heading(true)
	}
	if !opened {
		open()
	}
}

// entry cuts a timeline entry.
func (s *splitter) entry(p piece) {
	e := s.n.Entries[p.entry]
	at := place{kind: Entry, date: e.Date}
	if p.heading >= 0 {
		at.path = s.n.Headings[p.heading].Path
	}
	s.flush(false)
	s.place = at
	budget := s.budget(at)
	s.whole(p.body, budget, func(u unit) {
		if u.text != "" {
			s.add(u, budget)
		}
	})
	s.flush(false)
}

// open starts a section of total tokens: in the open chunk if both are small enough, else in
// a new one.
func (s *splitter) open(at place, total, budget int) {
	if len(s.own) > 0 && s.place.kind == Section && s.place.date == at.date && s.items == 0 &&
		s.tokens < s.o.MinTokens && s.tokens+total <= budget {
		s.place.path = commonPath(s.place.path, at.path)
		return
	}
	s.flush(false)
	s.place = at
}

// add adds a unit to the open chunk, or to a new one if that is full.
func (s *splitter) add(u unit, budget int) {
	apart := s.o.ItemsPerChunk > 0 && s.place.kind != Entry
	switch {
	case len(s.own) == 0:
	case apart && (u.item != 0) != (s.items > 0):
		s.flush(false)
	case s.tokens+u.tokens > budget,
		apart && u.starts && s.items == s.o.ItemsPerChunk:
		s.flush(true)
	}
	if len(s.own) == 0 {
		for len(s.carry) > 0 && s.tokens+u.tokens > budget {
			s.tokens -= s.carry[0].tokens
			s.carry = s.carry[1:]
		}
	}
	if u.item != 0 && (u.starts || s.items == 0) && apart {
		s.items++
	}
	s.own = append(s.own, u)
	s.tokens += u.tokens
}

// flush ends the open chunk. The next one repeats its end if it continues the same text.
func (s *splitter) flush(continued bool) {
	own, carry := s.own, s.carry
	s.own, s.carry, s.tokens = nil, nil, 0
	items := s.items
	s.items = 0
	if len(own) == 0 || len(own) == 1 && own[0].heading != "" && !own[0].alone {
		return
	}
	s.emit(own, carry)
	if !continued {
		return
	}
	s.carry = s.repeated(own, items)
	for _, u := range s.carry {
		s.tokens += u.tokens
	}
}

// repeated returns the end of a chunk that the next chunk repeats.
func (s *splitter) repeated(own []unit, items int) []unit {
	i, sum, begun := len(own), 0, 0
	for i > 0 && own[i-1].heading == "" {
		u := own[i-1]
		if items > 0 {
			if begun == s.o.ItemOverlap {
				break
			}
			if u.starts {
				begun++
			}
		} else if sum+u.tokens > s.o.Overlap {
			break
		}
		sum += u.tokens
		i--
	}
	if i == 0 {
		// A chunk that repeats all of the previous one would add nothing,
		// unless single items are wanted.
		if items == 0 {
			return nil
		}
	}
	return own[i:]
}

// emit appends a chunk.
func (s *splitter) emit(own, carry []unit) {
	if len(s.out) == MaxChunks {
		s.left++
		return
	}
	c := Chunk{Kind: s.place.kind, HeadingPath: s.place.path, Date: s.place.date}
	if c.Kind == Section && onlyItems(own) {
		c.Kind = ItemList
	}
	var b strings.Builder
	b.WriteString(s.prefix(s.place))
	for _, units := range [][]unit{carry, own} {
		for _, u := range units {
			text := u.text
			if u.heading != "" && !u.alone && s.o.Prefix&Path != 0 && u.heading == s.place.path {
				continue // it is part of the prefix
			}
			if b.Len() > 0 {
				b.WriteByte(u.glue)
			}
			b.WriteString(text)
		}
	}
	c.Text = b.String()
	c.Span = doc.Span{Start: own[0].span.Start, End: own[len(own)-1].span.End}
	s.finish(c)
}

// empty adds the only chunk of a page without text.
func (s *splitter) empty() {
	at := place{kind: Section, date: s.date}
	text := s.prefix(at)
	if s.o.Prefix&Title == 0 {
		text = strings.TrimSpace(text + "\n" + s.title)
	}
	start := s.n.Span.Start
	s.finish(Chunk{Kind: Section, Date: s.date, Text: text, Span: doc.Span{Start: start, End: start}})
}

// finish computes the fields that depend on span and text.
func (s *splitter) finish(c Chunk) {
	c.Lines = [2]int{s.lines.At(c.Span.Start), s.lines.At(max(c.Span.Start, c.Span.End-1))}
	c.Hash = hash(c.Text)
	s.out = append(s.out, c)
}

func onlyItems(units []unit) bool {
	for _, u := range units {
		if u.item == 0 {
			return false
		}
	}
	return true
}

// commonPath returns the common leading headings of two paths.
func commonPath(a, b string) string {
	for a != b {
		if len(a) < len(b) {
			a, b = b, a
		}
		a = a[:max(strings.LastIndex(a, separator), 0)]
	}
	return a
}

// separator separates the headings of a path, see doc.Heading.
const separator = " > "
