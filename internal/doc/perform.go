package doc

import (
	"github.com/cairn-kb/cairn/internal/kb"
)

// Planner is the part of a codec that Perform needs.
type Planner interface {
	// Parse reads source as the page at path. It never fails.
	Parse(path string, source []byte) *Document

	// Plan returns the splices of d.Text for one edit of d.Nodes[node]. No splices mean that
	// there is nothing to do.
	Plan(d *Document, node int, e Edit) ([]Splice, error)
}

// Perform applies the edits in order, each to the result of the previous one: plan, splice,
// encode, parse, verify. An edit that does not read back with its intended effect is
// kb.Invalid.
func Perform(p Planner, d *Document, node string, edits ...Edit) ([]byte, error) {
	if d.Encoding == Opaque {
		return nil, kb.Errorf(kb.Invalid, "a binary file cannot be edited")
	}
	source := d.Source
	for _, e := range edits {
		at, err := d.NodeIndex(node)
		if err != nil {
			return nil, err
		}
		splices, err := p.Plan(d, at, e)
		if err != nil {
			return nil, err
		}
		sorted, err := sortSplices(splices, len(d.Text))
		if err != nil {
			return nil, err
		}
		text, err := ApplySplices(d.Text, sorted)
		if err != nil {
			return nil, err
		}
		if source, err = Encode(text, d.Encoding); err != nil {
			return nil, err
		}
		after := p.Parse(d.Path, source)
		atAfter, err := after.follow(node, at)
		if err != nil {
			return nil, err
		}
		if err := verify(d, after, at, atAfter, e, sorted); err != nil {
			return nil, err
		}
		d = after
		if atAfter > 0 {
			node = after.Nodes[atAfter].ID
		}
	}
	return source, nil
}

// follow finds the node after an edit: by its ID, or by its place if the edit changed the
// ID.
func (d *Document) follow(node string, at int) (int, error) {
	if i, err := d.NodeIndex(node); err == nil {
		return i, nil
	}
	if at >= len(d.Nodes) {
		return 0, kb.Errorf(kb.Invalid, "this edit would remove the node it is made on")
	}
	return at, nil
}

// NodeIndex returns the index of the node with the given ID, 0 for "". It fails with
// kb.NotFound, and with kb.Ambiguous if several nodes have it.
func (d *Document) NodeIndex(id string) (int, error) {
	if id == "" {
		return 0, nil
	}
	found := -1
	for i := range d.Nodes {
		if d.Nodes[i].ID != id {
			continue
		}
		if found >= 0 {
			return 0, kb.Errorf(kb.Ambiguous, "several nodes of this file have the same ID")
		}
		found = i
	}
	if found < 0 {
		return 0, kb.Errorf(kb.NotFound, "this file has no node with that ID")
	}
	return found, nil
}

// Encode writes text in the document's encoding; see Encode.
func (d *Document) Encode(text []byte) ([]byte, error) {
	if d.Encoding == Opaque && len(text) == 0 {
		return d.Source, nil
	}
	return Encode(text, d.Encoding)
}

// Slice returns the text of a span.
func (d *Document) Slice(s Span) string { return string(d.Text[s.Start:s.End]) }

// Property returns the first property with the given key.
func (n *Node) Property(key string) (Property, bool) {
	for _, p := range n.Metadata {
		if p.Key == key {
			return p, true
		}
	}
	return Property{}, false
}
