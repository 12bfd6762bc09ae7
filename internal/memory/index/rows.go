package index

import (
	"strings"

	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/kb"
)

// maxRow limits the text of a property or an item in bytes: longer text is prose,
// and is covered by full-text search.
const maxRow = 1000

// properties returns the property values of a node.
func properties(n *doc.Node) []kb.Property {
	var out []kb.Property
	for _, p := range n.Properties {
		if len(p.Value) <= maxRow {
			row := kb.Property{Key: doc.PropertyKey(p.Key), Text: p.Value}
			if n, ok := kb.Number(p.Value); ok {
				row.Number = &n
			}
			out = append(out, row)
		}
	}
	return out
}

// items returns the individually indexed lines of a node.
func items(n *doc.Node, lines doc.Lines) []kb.Item {
	var out []kb.Item
	for _, t := range n.Tasks {
		if n.Hides(t.Span) {
			continue
		}
		text := t.Text
		if len(text) > maxRow {
			text = strings.ToValidUTF8(text[:maxRow], "")
		}
		out = append(out, kb.Item{
			Kind: kb.TaskItem, Text: text, State: t.State, Done: t.Done, Line: lines.At(t.Span.Start),
			Due: t.Due, Scheduled: t.Scheduled, Start: t.Start, Completed: t.Completed, Created: t.Created,
		})
	}
	return out
}
