package chunk

import "github.com/cairn-kb/cairn/internal/doc"

// piece is a stretch of a page under one heading, or a timeline entry.
type piece struct {
	heading int      // index into Headings, -1 above the first
	level   int      // of the heading
	entry   int      // index into Entries, -1 for running text
	line    doc.Span // the heading's line; empty if the section continues after an entry
	body    doc.Span
}

// under reports whether p, which follows q, is under q's heading.
func (p piece) under(q piece) bool {
	return p.entry >= 0 || p.line.Len() > 0 && p.level > q.level
}

// cutPieces cuts the truth and the timeline of a node in one pass, without
// nested nodes and hidden text.
func cutPieces(d *doc.Document, node int) []piece {
	if d.Nodes[node].IsHidden() {
		return nil
	}
	c := cutter{d: d, n: &d.Nodes[node], skipped: skipped(d, node)}
	c.region(c.n.Truth)
	c.region(c.n.Timeline)
	return c.out
}

// skipped returns the parts of a node that are not cut, in order: nested nodes
// and text hidden from searches.
func skipped(d *doc.Document, node int) []doc.Span {
	hidden := d.Nodes[node].Hidden
	var spans []doc.Span
	for _, n := range d.Nodes[node+1:] {
		if n.Span.Start >= d.Nodes[node].Span.End {
			break
		}
		for len(hidden) > 0 && hidden[0].Start <= n.Span.Start {
			spans, hidden = append(spans, hidden[0]), hidden[1:]
		}
		spans = append(spans, n.Span)
	}
	return append(spans, hidden...)
}

// cutter walks over the parts of a node, in order of position.
type cutter struct {
	d       *doc.Document
	n       *doc.Node
	heading int        // the next one
	entry   int        // the next one
	skipped []doc.Span // remaining parts to skip
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
			at = min(c.skipped[0].End, r.End)
			cur.line = doc.Span{}
		case anEntry:
			at = min(c.n.Entries[c.entry].Span.End, r.End)
			if len(c.skipped) > 0 {
				at = min(at, max(c.skipped[0].Start, start))
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

// skip skips parts that start before at.
func (c *cutter) skip(at int) {
	for c.heading < len(c.n.Headings) && c.n.Headings[c.heading].Line.Start < at {
		c.heading++
	}
	for c.entry < len(c.n.Entries) && c.n.Entries[c.entry].Span.Start < at {
		c.entry++
	}
	for len(c.skipped) > 0 && (c.skipped[0].Start < at || c.skipped[0].Len() == 0) {
		c.skipped = c.skipped[1:]
	}
}

// The kinds of the next part.
const (
	nothing = iota
	aNode
	anEntry
	aHeading
)

// next returns the start and the kind of the next part. Of two parts at the
// same position, the node contains the entry and the entry contains the
// heading.
func (c *cutter) next(end int) (start, what int) {
	start = end
	if len(c.skipped) > 0 && c.skipped[0].Start < start {
		start, what = c.skipped[0].Start, aNode
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
