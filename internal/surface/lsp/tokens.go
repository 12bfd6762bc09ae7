package lsp

import (
	"bytes"
	"cmp"
	"context"
	"slices"

	"github.com/cairn-kb/cairn/internal/doc"
)

// tokenTypes are the types of semantic tokens: the type of a relation, and its interval.
var tokenTypes = []string{"property", "number"}

// token is a span with the index of its type.
type token struct {
	doc.Span
	kind int
}

// relationTokens returns the types and intervals of the relations of a document, in order.
func relationTokens(d *doc.Document) (out []token) {
	for i := range d.Nodes {
		for _, r := range d.Nodes[i].Relations {
			before := d.Text[r.Span.Start:r.Target.Span.Start]
			if at := bytes.LastIndex(before, []byte(r.Type)); at >= 0 {
				out = append(out, token{doc.Span{Start: r.Span.Start + at, End: r.Span.Start + at + len(r.Type)}, 0})
			}
			after := d.Text[r.Target.Span.End:doc.LineEnd(d.Text, r.Target.Span.End)]
			if at := bytes.IndexByte(after, '@'); r.Dated && at >= 0 {
				end := at
				for end < len(after) && !bytes.ContainsRune([]byte(" \t\r\n(["), rune(after[end])) {
					end++
				}
				out = append(out, token{doc.Span{Start: r.Target.Span.End + at, End: r.Target.Span.End + end}, 1})
			}
		}
	}
	slices.SortFunc(out, func(a, b token) int { return cmp.Compare(a.Start, b.Start) })
	return out
}

// semanticTokens answers the tokens of a document, each by its distance from the one before.
func semanticTokens(ctx context.Context, t *turn, p documentParams) (any, error) {
	text, err := t.text(ctx, p.TextDocument.URI)
	if err != nil || text == nil {
		return nil, err
	}
	lines := t.mapOf(text)
	data := []int{}
	var last position
	for _, k := range relationTokens(text.Document) {
		at := lines.span(k.Span)
		character := at.Start.Character
		if at.Start.Line == last.Line {
			character -= last.Character
		}
		data = append(data, at.Start.Line-last.Line, character, at.End.Character-at.Start.Character, k.kind, 0)
		last = at.Start
	}
	return map[string]any{"data": data}, nil
}
