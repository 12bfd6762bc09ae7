package org

import (
	"slices"

	"github.com/cairn-kb/cairn/internal/doc"
)

// archiveTag marks an archived subtree, or file: Org neither opens it nor shows it in the
// agenda.
const archiveTag = "ARCHIVE"

// excluded reports whether a heading, or the file for -1, has ROAM_EXCLUDE.
func (t *tree) excluded(heading int) bool {
	for _, p := range t.properties(heading) {
		if value := string(t.text[p.value.Start:p.value.End]); p.key == "roam_exclude" && value != "" && value != "nil" {
			return true
		}
	}
	return false
}

// readArchived reports for each heading whether it, or one above it, is
// archived.
func (t *tree) readArchived() {
	file := slices.ContainsFunc(t.fileTags(), func(o doc.OuterTag) bool { return o.Name == archiveTag })
	t.archived = make([]bool, len(t.headings))
	for i, h := range t.headings {
		t.archived[i] = file || slices.Contains(h.tags, archiveTag) || h.parent >= 0 && t.archived[h.parent]
	}
	t.hidesFile = file || t.excluded(-1)
}

// hide records the text of each node that is hidden from searches: archived text, and files
// that are not pages.
func hide(t *tree, nodes []doc.Node) {
	if t.hidesFile {
		nodes[0].Hidden = []doc.Span{nodes[0].Span}
	}
	for i, h := range t.headings {
		n := &nodes[t.owner[i]]
		s := doc.Span{Start: h.line.Start, End: h.end}
		if last := len(n.Hidden) - 1; t.archived[i] && (last < 0 || !n.Hidden[last].Contains(s)) {
			n.Hidden = append(n.Hidden, s)
		}
	}
}

// putAway marks archived text in visible nodes, so that no passage shows it.
func putAway(nodes []doc.Node) (marks []doc.Mark) {
	for i := range nodes {
		if nodes[i].IsHidden() {
			continue
		}
		for _, s := range nodes[i].Hidden {
			marks = append(marks, doc.Mark{Span: s, Kind: doc.Echoed})
		}
	}
	return marks
}
