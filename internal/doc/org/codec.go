package org

import (
	"slices"

	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/kb"
)

// Codec reads and edits Org. The zero value is ready for use.
type Codec struct {
	syntax doc.Syntax
}

var _ doc.Codec = Codec{}

// Format returns doc.Org.
func (Codec) Format() doc.Format { return doc.Org }

// Extensions returns ".org".
func (Codec) Extensions() []string { return []string{".org"} }

// maxWarnings bounds the warnings of one document: a file of noise would have
// one per line.
const maxWarnings = 100

// In returns the codec of a syntax. Org is the same in every syntax, except for links to
// blocks and the names of days in an outline.
func (Codec) In(s kb.Syntax) doc.Codec { return Codec{syntax: doc.SyntaxOf(s)} }

// Parse reads source as the page at path. It never fails.
func (c Codec) Parse(path string, source []byte) *doc.Document {
	text, enc := doc.Decode(source)
	d := &doc.Document{Format: doc.Org, Path: path, Source: source, Text: text, Encoding: enc, EOL: doc.DetectEOL(text)}
	t := readTree(text)
	d.Nodes = readNodes(t, path, c.syntax)
	d.Marks = doc.SettleMarks(append(t.marks, putAway(d.Nodes)...))
	d.Files = t.files
	d.Warnings = listWarnings(t)
	if enc == doc.Opaque {
		d.Warnings = []doc.Warning{{Code: "encoding-unknown", Text: "The file is not text in a supported encoding.", Line: 1}}
	}
	return d
}

func listWarnings(t *tree) []doc.Warning {
	if len(t.warnings) == 0 {
		return nil
	}
	slices.SortStableFunc(t.warnings, func(a, b warning) int { return a.at - b.at })
	lines := doc.NewLines(t.text)
	var list []doc.Warning
	for _, w := range t.warnings[:min(len(t.warnings), maxWarnings)] {
		list = append(list, doc.Warning{Code: w.code, Text: w.text, Line: lines.At(w.at)})
	}
	if len(t.warnings) > maxWarnings {
		list = append(list, doc.Warning{Code: "warnings-many", Text: "There are more warnings than are listed.", Line: list[maxWarnings-1].Line})
	}
	return list
}
