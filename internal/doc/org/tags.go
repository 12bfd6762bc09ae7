package org

import (
	"slices"

	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/kb"
)

// maxInherited bounds the tags that a node inherits from its file and the headings above it,
// since otherwise their total could grow with the square of the text.
const maxInherited = 100

// fileTags returns the tags of the file with their positions.
func (t *tree) fileTags() (tags []doc.OuterTag) {
	for _, f := range t.fields(0) {
		if f.Name == "tags" {
			tags = append(tags, placed(splitTags(t.text[f.Value.Start:f.Value.End]), f.Value)...)
		}
	}
	return tags
}

// placed leaves out kb.PinnedTag, which applies to one page and is not
// inherited in either direction.
func placed(tags []string, at doc.Span) (out []doc.OuterTag) {
	for _, tag := range tags {
		if tag != kb.PinnedTag {
			out = append(out, doc.OuterTag{Name: doc.NormalizeTag(tag), Span: at})
		}
	}
	return out
}

// addOuterTags adds to each node the tags of the file and of the headings above it, as in
// Org, and those of the headings in it that are not nodes and therefore belong to no other
// page.
func addOuterTags(t *tree, nodes []doc.Node) {
	file := t.fileTags()
	inherited := make([][]doc.OuterTag, len(t.headings))
	for i, h := range t.headings {
		inherited[i] = file
		if h.parent >= 0 {
			inherited[i] = inherited[h.parent]
			if above := t.headings[h.parent]; above.tags != nil && len(inherited[i]) < maxInherited {
				inherited[i] = append(slices.Clip(inherited[i]), placed(above.tags, above.tagsAt)...)
			}
		}
		n := &nodes[t.owner[i]]
		if i == t.roots[t.owner[i]] {
			n.OuterTags = slices.Clone(inherited[i])
			continue
		}
		for _, tag := range placed(h.tags, h.tagsAt) {
			if tag.Name != archiveTag { // it describes the state of the heading, not its subject
				n.OuterTags = append(n.OuterTags, tag)
			}
		}
	}
	for i := range nodes {
		n := &nodes[i]
		if len(n.OuterTags) == 0 {
			continue
		}
		all := slices.Clone(n.Tags)
		for _, o := range n.OuterTags {
			all = append(all, o.Name)
		}
		n.Tags = doc.Tags(all)
	}
}
