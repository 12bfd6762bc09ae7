package lsp

import (
	"context"
	"slices"

	"github.com/cairn-kb/cairn/internal/doc"
)

// documentSymbols lists the headings of a document, as a tree where the client shows one.
func documentSymbols(ctx context.Context, t *turn, p documentParams) (any, error) {
	text, err := t.text(ctx, p.TextDocument.URI)
	if err != nil || text == nil {
		return nil, err
	}
	lines := t.mapOf(text)
	headings := headingsOf(text.Document)
	if !t.server.client.symbolTree {
		out := []symbolInformation{}
		for _, h := range headings {
			out = append(out, symbolInformation{Name: nameOf(h), Kind: symbolString, Location: location{p.TextDocument.URI, lines.span(h.Section)}})
		}
		return out, nil
	}
	out, _ := symbolTree(lines, headings, 0)
	return out, nil
}

// headingsOf returns the headings of all nodes of a document, in order of position.
func headingsOf(d *doc.Document) (out []doc.Heading) {
	for _, n := range d.Nodes {
		out = append(out, n.Headings...)
	}
	slices.SortStableFunc(out, func(a, b doc.Heading) int { return a.Line.Start - b.Line.Start })
	return slices.CompactFunc(out, func(a, b doc.Heading) bool { return a.Line == b.Line })
}

func nameOf(h doc.Heading) string {
	if h.Text == "" {
		return "(no text)" // clients refuse an empty name
	}
	return h.Text
}

// symbolTree returns the headings at the start of a list that are below a level, with those
// below each, and how many it took.
func symbolTree(lines *textMap, headings []doc.Heading, above int) (out []documentSymbol, taken int) {
	for taken < len(headings) && headings[taken].Level > above {
		h := headings[taken]
		inner, n := symbolTree(lines, headings[taken+1:], h.Level)
		out = append(out, documentSymbol{
			Name: nameOf(h), Kind: symbolString, Range: lines.span(h.Section), SelectionRange: lines.inLine(h.Line), Children: inner,
		})
		taken += 1 + n
	}
	if out == nil {
		out = []documentSymbol{}
	}
	return out, taken
}
