package merge

import (
	"bytes"
	"slices"
	"strings"

	"github.com/cairn-kb/cairn/internal/doc"
)

// Lines are lines of a document, counted from 1: From to To, both included.
type Lines struct{ From, To int }

// Merge applies the changes from base to ours to theirs. Conflicts are the lines of theirs
// that both sides changed; merged is nil then. codec reads the three as the document at
// path.
func Merge(codec doc.Codec, path string, base, ours, theirs []byte) (merged []byte, conflicts []Lines) {
	return merge(codec, path, base, ours, theirs, refuse)
}

// Union is Merge, except that if both sides added whole units in one place, those of theirs
// come first, followed by those of ours.
func Union(codec doc.Codec, path string, base, ours, theirs []byte) (merged []byte, conflicts []Lines) {
	return merge(codec, path, base, ours, theirs, union)
}

// Proposal is a starting point for resolving conflicts of Merge: it has the changes of both
// sides, and where they conflict, those of ours. It is nil unless all three are text.
func Proposal(codec doc.Codec, path string, base, ours, theirs []byte) []byte {
	b, o, t := read(codec, path, base), read(codec, path, ours), read(codec, path, theirs)
	enc, ok := pick(b.Encoding, o.Encoding, t.Encoding)
	if !ok || b.Encoding == doc.Opaque || o.Encoding == doc.Opaque || t.Encoding == doc.Opaque {
		return nil
	}
	lines, _ := combine(b, o, t, preferOurs)
	text := strings.Join(lines, "")
	if !ended(b, o, t) {
		text = unended(text, o.EOL, t.EOL)
	}
	out, err := doc.Encode([]byte(text), enc)
	if err != nil {
		return nil
	}
	return out
}

func merge(codec doc.Codec, path string, base, ours, theirs []byte, how resolve) (merged []byte, conflicts []Lines) {
	switch {
	case bytes.Equal(ours, base), bytes.Equal(ours, theirs):
		return theirs, nil
	case bytes.Equal(theirs, base):
		return ours, nil
	}
	b, o, t := read(codec, path, base), read(codec, path, ours), read(codec, path, theirs)
	whole := []Lines{{1, max(1, len(t.lines))}}
	enc, ok := pick(b.Encoding, o.Encoding, t.Encoding)
	if !ok || b.Encoding == doc.Opaque || o.Encoding == doc.Opaque || t.Encoding == doc.Opaque {
		return nil, whole
	}
	lines, conflicts := combine(b, o, t, how)
	if len(conflicts) > 0 {
		return nil, conflicts
	}
	text := strings.Join(lines, "")
	if !ended(b, o, t) {
		text = unended(text, o.EOL, t.EOL)
	}
	merged, err := doc.Encode([]byte(text), enc)
	if err != nil || !sound(codec.Parse(path, merged), o.Document, t.Document) {
		return nil, whole
	}
	return merged, nil
}

// pick chooses between two versions of a value: the changed one.
func pick[T comparable](base, ours, theirs T) (T, bool) {
	switch {
	case ours == base, ours == theirs:
		return theirs, true
	case theirs == base:
		return ours, true
	}
	return theirs, false
}

// side is one of the three versions, split into lines.
type side struct {
	*doc.Document
	lines  []string // with their line ends, including the last one
	ended  bool     // whether the last line has a line end in the document
	starts []bool   // by line: a unit starts here; one more for the end
}

func read(codec doc.Codec, path string, source []byte) *side {
	d := codec.Parse(path, source)
	s := &side{Document: d, lines: strings.SplitAfter(string(d.Text), "\n")}
	last := len(s.lines) - 1
	if s.ended = s.lines[last] == ""; s.ended {
		s.lines = s.lines[:last]
	} else {
		// The end of the text is handled separately: otherwise a line added after it would
		// change the line before.
		s.lines[last] += d.EOL
	}
	s.starts = units(d, s.lines)
	return s
}

// ended reports whether the merged text ends with a line end. Texts without lines are
// ignored.
func ended(base, ours, theirs *side) bool {
	switch {
	case len(ours.lines) == 0:
		return theirs.ended
	case len(theirs.lines) == 0:
		return ours.ended
	}
	last, _ := pick(base.ended, ours.ended, theirs.ended) // of three booleans two are equal
	return last
}

// unended removes the last line end.
func unended(text string, ends ...string) string {
	if slices.Contains(ends, "\r\n") && strings.HasSuffix(text, "\r\n") {
		return strings.TrimSuffix(text, "\r\n")
	}
	return strings.TrimSuffix(text, "\n")
}

// sound reports whether a merged document is as valid as its sources: no more of it is
// opaque, its id is that of a source, and no key or id is duplicated because both sides
// added it.
func sound(merged, ours, theirs *doc.Document) bool {
	had, have := tally(ours), tally(theirs)
	for what, n := range tally(merged) {
		if n > max(had[what], have[what]) {
			return false
		}
	}
	id := merged.Nodes[0].ID
	return id == ours.Nodes[0].ID || id == theirs.Nodes[0].ID
}

// tally counts things that a merge must not multiply: warnings by code,
// metadata keys by node, and ids.
func tally(d *doc.Document) map[[2]string]int {
	out := map[[2]string]int{}
	for _, w := range d.Warnings {
		out[[2]string{"warning", w.Code}]++
	}
	for i := range d.Nodes {
		n := &d.Nodes[i]
		if n.ID != "" {
			out[[2]string{"id", n.ID}]++
		}
		for _, p := range n.Metadata {
			out[[2]string{"key " + n.ID, strings.ToLower(p.Key)}]++
		}
	}
	return out
}
