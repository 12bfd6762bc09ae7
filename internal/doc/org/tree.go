package org

import (
	"strings"

	"github.com/cairn-kb/cairn/internal/doc"
)

// timelineTitle is the heading that separates truth and timeline.
const timelineTitle = "Timeline"

// typeTags are the file tags that determine the type of a node without a property for it.
var typeTags = map[string]bool{
	"principle": true, "preference": true, "procedure": true, "observation": true, "reference": true,
}

// A tree assigns each heading to its node of the document.
type tree struct {
	*outline
	roots    []int  // heading of each node; -1 for the file, which is node 0
	owner    []int  // node of each heading
	timeline []int  // timeline heading of each node; -1 if there is none
	last     []int  // last child of each heading; the entry after the last heading is the file's
	archived []bool // headings that are archived, or below an archived one

	hidesFile bool  // the file is archived, or not a page
	previous  []int // heading before each heading under the same parent; -1 for the first

	marks []doc.Mark   // markup of the text, set when it is read
	files []doc.Target // links to files that are not pages
}

// readTree finds the nodes: the file, and every heading with an ID that did not occur
// before.
func readTree(text []byte) *tree {
	o := readOutline(text)
	n := len(o.headings)
	t := &tree{outline: o, roots: []int{-1}, timeline: []int{-1},
		owner: make([]int, n), last: make([]int, n+1), previous: make([]int, n)}
	for i := range t.last {
		t.last[i] = -1
	}
	t.readArchived()
	seen := map[string]bool{t.id(-1): true, "": true}
	for i, h := range o.headings {
		parent, node := h.parent, 0
		if parent < 0 {
			parent = n
		} else {
			node = t.owner[parent]
		}
		t.previous[i], t.last[parent] = t.last[parent], i
		if id := t.id(i); t.excluded(i) {
			// The heading is excluded from the pages.
		} else if !seen[id] {
			seen[id] = true
			node = len(t.roots)
			t.roots = append(t.roots, i)
			t.timeline = append(t.timeline, -1)
		} else if id != "" {
			o.warnings = append(o.warnings, warning{"id-duplicate", "A repeated ID in this file; the heading is not a page of its own.", h.line.Start})
		}
		t.owner[i] = node
		if t.timeline[node] < 0 && i != t.roots[node] && h.parent == t.roots[node] && strings.EqualFold(h.text, timelineTitle) {
			t.timeline[node] = i
		}
	}
	return t
}

// id returns the ID of a heading, or of the file for -1.
func (t *tree) id(heading int) string {
	for _, p := range t.properties(heading) {
		if p.key == "id" {
			return string(t.text[p.value.Start:p.value.End])
		}
	}
	if heading < 0 {
		for _, k := range t.keywords {
			if k.key == "identifier" {
				return string(t.text[k.value.Start:k.value.End])
			}
		}
	}
	return ""
}

// properties returns the drawer lines of a heading, or of the file for -1.
func (t *tree) properties(heading int) []propertyLine {
	d := t.drawer
	if heading >= 0 {
		d = t.headings[heading].drawer
	}
	if d == nil {
		return nil
	}
	return d.lines
}

// head returns the metadata of a node.
func (t *tree) head(node int) doc.Span {
	if node == 0 {
		return t.outline.head
	}
	return t.headings[t.roots[node]].head
}

// span returns everything of a node.
func (t *tree) span(node int) doc.Span {
	if node == 0 {
		return doc.Span{Start: 0, End: len(t.text)}
	}
	h := t.headings[t.roots[node]]
	return doc.Span{Start: h.line.Start, End: h.end}
}

// truth returns the text between a node's metadata and its line.
func (t *tree) truth(node int) doc.Span {
	s := doc.Span{Start: t.head(node).End, End: t.span(node).End}
	if i := t.timeline[node]; i >= 0 {
		s.End = t.headings[i].line.Start
	}
	return s
}

// below returns the text below a node's timeline; empty at its end if there is none.
func (t *tree) below(node int) doc.Span {
	s := t.span(node)
	s.Start = s.End
	if i := t.timeline[node]; i >= 0 {
		s.Start = t.headings[i].head.End
	}
	return s
}

// level returns the level of a node's heading, 0 for the file.
func (t *tree) level(node int) int {
	if node == 0 {
		return 0
	}
	return t.headings[t.roots[node]].level
}

// withoutTail returns the end of the text that ends at end, without the nodes nested at its
// end; last is the heading of the last child before it. Text added there belongs to the node
// and not to a nested one.
func (t *tree) withoutTail(node, last, end int) int {
	for last >= 0 {
		if t.owner[last] == node {
			last = t.last[last]
			continue
		}
		end, last = t.headings[last].line.Start, t.previous[last]
	}
	return end
}

// nested returns the spans of the nodes directly nested in a node.
func (t *tree) nested(node int) []doc.Span {
	var spans []doc.Span
	whole, end := t.span(node), -1
	for i, root := range t.roots {
		s := t.span(i)
		if root < 0 || i == node || !whole.Contains(s) || s.Start < end {
			continue
		}
		spans = append(spans, s)
		end = s.End
	}
	return spans
}
