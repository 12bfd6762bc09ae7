package org

import (
	"bytes"
	"slices"

	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/kb"
)

// readNodes returns the nodes of a tree: first their headings and metadata, then the
// contents of their text.
func readNodes(t *tree, path string, syntax doc.Syntax) []doc.Node {
	nodes := make([]doc.Node, len(t.roots))
	for i, root := range t.roots {
		n := &nodes[i]
		n.Heading = -1
		n.Title = syntax.PageName(path)
		if root >= 0 {
			n.Heading = 0
			if text := t.headings[root].text; text != "" {
				n.Title = text
			}
		}
		n.Metadata = t.metadata(i)
		for _, p := range n.Metadata {
			n.Properties = append(n.Properties, p.PropertyValues()...)
		}
		n.Span, n.Head, n.Truth, n.Timeline = t.span(i), t.head(i), t.truth(i), t.below(i)
		describe(n)
		if id, ok := kb.ParseID(n.ID); ok && syntax.Blocks {
			n.Refs = append(n.Refs, "^"+string(id))
		}
		if _, uuid := kb.ParseID(n.ID); n.ID != "" && !uuid {
			n.Refs = append(n.Refs, "id:"+n.ID)
		}
		if ref, ok := doc.DenoteRef(path, n); ok && root < 0 {
			n.Refs = append(n.Refs, ref)
		}
		if root < 0 {
			n.Tags = doc.Tags(append(n.Tags, doc.DenoteKeywords(path)...))
		}
	}
	addOuterTags(t, nodes)
	hide(t, nodes)
	addHeadings(t, nodes)
	r := reader{tree: t, nodes: nodes, blocks: syntax.Blocks, entry: -1, places: map[string]bool{}}
	r.read()
	settleLocal(nodes, r.places)
	return nodes
}

// maxPath bounds a heading's path in bytes. A longer one restarts at the heading, since
// otherwise the size of all paths could grow with the square of the text.
const maxPath = 500

// addHeadings adds each heading to its node. Paths start below the node's own heading, which
// is not part of the truth.
func addHeadings(t *tree, nodes []doc.Node) {
	paths := make([]string, len(t.headings))
	for i, h := range t.headings {
		node := t.owner[i]
		n := &nodes[node]
		paths[i] = h.text
		if i != t.roots[node] && h.parent != t.roots[node] {
			if p := paths[h.parent] + " > " + h.text; len(p) <= maxPath {
				paths[i] = p
			}
		}
		n.Headings = append(n.Headings, doc.Heading{
			Level: h.level, Text: h.text, Written: t.written(h), Path: paths[i], Line: h.line,
			Section: doc.Span{Start: h.line.Start, End: h.end},
			InTruth: n.Truth.Contains(h.line),
		})
	}
}

// written returns the title of a heading as written in the file, and with keyword and tags,
// if these differ from its text.
func (t *tree) written(h heading) (texts []string) {
	end, _ := lineEnd(t.text, h.line.Start)
	all := bytes.TrimSpace(t.text[h.line.Start+h.level : end])
	for _, raw := range [][]byte{t.text[h.title.Start:h.title.End], all} {
		if string(raw) != h.text && !slices.Contains(texts, string(raw)) {
			texts = append(texts, string(raw))
		}
	}
	return texts
}
