package chunk

import "github.com/cairn-kb/cairn/internal/doc"

// piece is a stretch of a page under one heading, or a timeline entry.
type piece struct {
	heading int      // index into Headings, -1 above the first
	level   int      // of the heading
	entry   int      // index into Entries, -1 for running text
	line    doc.Span // the heading's line; empty where a section goes on after an entry
	body    doc.Span
}

// under says whether p, which follows q, belongs to q's heading.
func (p piece) under(q piece) bool {
	return p.entry >= 0 || p.line.Len() > 0 && p.level > q.level
}

// cutPieces goes once over the truth and the timeline of a node, leaving out
// what belongs to the nodes nested in it.
func cutPieces(d *doc.Document, node int) []piece {
	c := cutter{d: d, n: &d.Nodes[node], nested: d.Nodes[node+1:]}
	c.region(c.n.Truth)
	c.region(c.n.Timeline)
	return c.out
}

// cutter walks a node with what begins in it, all in order of position.
type cutter struct {
	d       *doc.Document
	n       *doc.Node
	heading int        // the next one
	entry   int        // the next one
	nested  []doc.Node // the next ones
	out     []piece
}

func (c *cutter) region(r doc.Span) {
	cur := piece{heading: -1, entry: -1, body: doc.Span{Start: r.Start}}
	for at := r.Start; ; {
		c.skip(at)
		start, what := c.next(r.End)
		cur.body.End = start
		c.emit(cur)
		switch what {
		case nothing:
			return
		case aNode:
			at = min(c.nested[0].Span.End, r.End)
			cur.line = doc.Span{}
		case anEntry:
			at = min(c.n.Entries[c.entry].Span.End, r.End)
			if len(c.nested) > 0 {
				at = min(at, max(c.nested[0].Span.Start, start))
			}
			c.emit(piece{heading: cur.heading, level: cur.level, entry: c.entry, body: doc.Span{Start: start, End: at}})
			c.entry++
			cur.line = doc.Span{}
		case aHeading:
			h := c.n.Headings[c.heading]
			at = min(h.Line.End, r.End)
			cur = piece{heading: c.heading, level: h.Level, entry: -1, line: doc.Span{Start: start, End: at}}
			c.heading++
		}
		at = max(at, start)
		cur.body.Start = at
	}
}

// skip leaves out what begins before at.
func (c *cutter) skip(at int) {
	for c.heading < len(c.n.Headings) && c.n.Headings[c.heading].Line.Start < at {
		c.heading++
	}
	for c.entry < len(c.n.Entries) && c.n.Entries[c.entry].Span.Start < at {
		c.entry++
	}
	for len(c.nested) > 0 && (c.nested[0].Span.Start < at || c.nested[0].Span.Len() == 0) {
		c.nested = c.nested[1:]
	}
}

// What begins next.
const (
	nothing = iota
	aNode
	anEntry
	aHeading
)

// next returns the start of what begins next, and what that is. Of two that
// begin at one place, the node holds the entry and the entry the heading.
func (c *cutter) next(end int) (start, what int) {
	start = end
	if len(c.nested) > 0 && c.nested[0].Span.Start < start {
		start, what = c.nested[0].Span.Start, aNode
	}
	if c.entry < len(c.n.Entries) && c.n.Entries[c.entry].Span.Start < start {
		start, what = c.n.Entries[c.entry].Span.Start, anEntry
	}
	if c.heading < len(c.n.Headings) && c.n.Headings[c.heading].Line.Start < start {
		start, what = c.n.Headings[c.heading].Line.Start, aHeading
	}
	return start, what
}

func (c *cutter) emit(p piece) {
	if p.line.Len() > 0 || p.body.Len() > 0 && !doc.Blank(c.d.Text[p.body.Start:p.body.End]) {
		c.out = append(c.out, p)
	}
}
