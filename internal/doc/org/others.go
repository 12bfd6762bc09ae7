package org

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"hash"

	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/kb"
)

// othersKept fails if a node other than the one at index target lost something or was
// removed.
func othersKept(before, after *doc.Document, target int) error {
	if len(before.Nodes) == 1 && len(after.Nodes) == 1 {
		return nil
	}
	now := map[string]string{}
	sums := ownSums(after)
	for i, n := range after.Nodes {
		now[nodeKey(i, n)] = sums[i]
	}
	sums = ownSums(before)
	for i, n := range before.Nodes {
		if i == target {
			continue
		}
		if now[nodeKey(i, n)] != sums[i] {
			return kb.Errorf(kb.Invalid, "this edit would change another page in the same file").
				WithHint("keep headings that have an ID of their own as they are, and edit them by that ID")
		}
	}
	if duplicates(after) > duplicates(before) {
		return kb.Errorf(kb.Invalid, "the new text repeats an ID that this file has already")
	}
	return nil
}

func nodeKey(i int, n doc.Node) string {
	if i == 0 {
		return ""
	}
	return n.ID
}

func duplicates(d *doc.Document) int {
	n := 0
	for _, w := range d.Warnings {
		if w.Code == "id-duplicate" {
			n++
		}
	}
	return n
}

// ownSums returns a checksum of each node's own text: without nested nodes, and without
// surrounding blanks, which belong to the neighbouring edit.
func ownSums(d *doc.Document) []string {
	sums := make([]hash.Hash, len(d.Nodes))
	for i := range sums {
		sums[i] = sha256.New()
	}
	add := func(node, start, end int) {
		piece := bytes.TrimSpace(d.Text[start:end])
		var size [8]byte
		binary.BigEndian.PutUint64(size[:], uint64(len(piece)))
		sums[node].Write(size[:])
		sums[node].Write(piece)
	}
	var open []int
	at := 0
	closeTo := func(pos int) {
		for len(open) > 0 && d.Nodes[open[len(open)-1]].Span.End <= pos {
			last := open[len(open)-1]
			open = open[:len(open)-1]
			add(last, at, d.Nodes[last].Span.End)
			at = d.Nodes[last].Span.End
		}
	}
	for i := range d.Nodes {
		start := d.Nodes[i].Span.Start
		if i > 0 {
			closeTo(start)
			add(open[len(open)-1], at, start)
			at = start
		}
		open = append(open, i)
	}
	closeTo(len(d.Text))
	out := make([]string, len(sums))
	for i, s := range sums {
		out[i] = string(s.Sum(nil))
	}
	return out
}
