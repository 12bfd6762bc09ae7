package lsp

import (
	"context"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory/unsaved"
)

type codeLens struct {
	Range   span    `json:"range"`
	Command command `json:"command"`
}

// command is one of the server, with its title.
type command struct {
	Title     string `json:"title"`
	Command   string `json:"command"`
	Arguments []any  `json:"arguments"`
}

// codeLenses show how many links lead to each page of a document, and to its headings.
func codeLenses(ctx context.Context, t *turn, p documentParams) (any, error) {
	text, err := t.text(ctx, p.TextDocument.URI)
	if err != nil || text == nil {
		return nil, err
	}
	lines := t.mapOf(text)
	out := []codeLens{}
	add := func(at doc.Span, n int) {
		place := lines.inLine(at)
		out = append(out, codeLens{place, command{api.Plural(n, "backlink"), commandBacklinks, []any{p.TextDocument.URI, place.Start}}})
	}
	for i := range text.Document.Nodes {
		n := &text.Document.Nodes[i]
		page, err := t.reader.Page(ctx, text.File, n.ID)
		if err == nil && i == 0 {
			page, err = t.reader.Page(ctx, text.File, "")
		}
		if err != nil {
			return nil, err
		}
		if page.Row == 0 {
			continue
		}
		found, err := t.reader.Backlinks(ctx, []kb.Page{page}, func(unsaved.Link) bool { return true })
		if err != nil {
			return nil, err
		}
		parts := map[doc.Span]int{}
		for _, f := range found {
			for _, l := range f.Links {
				if l.Target.Span != f.Span || l.Target.Heading+l.Target.Block == "" {
					continue
				}
				if part, ok := unsaved.Part(text.Document, n, l.Target.Heading, l.Target.Block); ok {
					parts[part]++
				}
			}
		}
		title := doc.Span{Start: n.Span.Start, End: n.Span.Start}
		for _, h := range n.Headings {
			if isTitle(text.Document, &h) {
				title = h.Line
				break
			}
		}
		add(title, len(found))
		for _, h := range n.Headings {
			if parts[h.Line] > 0 && h.Line != title {
				add(h.Line, parts[h.Line])
			}
		}
	}
	return out, nil
}
