package lsp

import (
	"bytes"
	"context"

	"github.com/cairn-kb/cairn/internal/doc"
)

type foldingRange struct {
	StartLine int    `json:"startLine"`
	EndLine   int    `json:"endLine"`
	Kind      string `json:"kind,omitempty"`
}

// foldingRanges lists the metadata, the sections, and the blocks of code of a document.
func foldingRanges(ctx context.Context, t *turn, p documentParams) (any, error) {
	text, err := t.text(ctx, p.TextDocument.URI)
	if err != nil || text == nil {
		return nil, err
	}
	lines := t.mapOf(text)
	out := []foldingRange{}
	add := func(s doc.Span, kind string) {
		for s.End > s.Start && doc.Blank(text.Document.Text[s.End-1:s.End]) {
			s.End--
		}
		if from, to := lines.position(s.Start).Line, lines.position(s.End).Line; to > from {
			out = append(out, foldingRange{from, to, kind})
		}
	}
	for i := range text.Document.Nodes {
		n := &text.Document.Nodes[i]
		add(n.Head, "region")
		enclosed := text.Document.Enclosed(n)
		for at := n.Span.Start; at < n.Span.End; {
			end := doc.LineEnd(text.Document.Text, at)
			if to := enclosed(at); to > end {
				if line := bytes.TrimSpace(text.Document.Text[at:end]); n.Head.Start != at || !bytes.HasPrefix(line, []byte(":")) {
					add(doc.Span{Start: at, End: to}, "")
				}
				end = to
			}
			at = end
		}
	}
	for _, h := range headingsOf(text.Document) {
		add(h.Section, "")
	}
	return out, nil
}
