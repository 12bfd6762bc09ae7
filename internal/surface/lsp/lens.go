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
	indexed, err := t.reader.Pages(ctx, text.File)
	if err != nil {
		return nil, err
	}
	var pages []kb.Page
	nodes := map[int64]*doc.Node{} // by row of their pages
	for i := range text.Document.Nodes {
		n := &text.Document.Nodes[i]
		page := indexed[n.ID]
		if i == 0 {
			page = indexed[""]
		}
		if page.Row != 0 {
			pages, nodes[page.Row] = append(pages, page), n
		}
	}
	links, parts := map[int64]int{}, map[int64]map[doc.Span]int{}
	if _, err := t.reader.Backlinks(ctx, pages, func(l unsaved.Link) bool {
		links[l.To]++
		if l.Target.Heading+l.Target.Block == "" {
			return false
		}
		if part, ok := unsaved.Part(text.Document, nodes[l.To], l.Target.Heading, l.Target.Block); ok {
			if parts[l.To] == nil {
				parts[l.To] = map[doc.Span]int{}
			}
			parts[l.To][part]++
		}
		return false
	}); err != nil {
		return nil, err
	}
	for _, page := range pages {
		n := nodes[page.Row]
		title := doc.Span{Start: n.Span.Start, End: n.Span.Start}
		for _, h := range n.Headings {
			if isTitle(text.Document, &h) {
				title = h.Line
				break
			}
		}
		add(title, links[page.Row])
		for _, h := range n.Headings {
			if count := parts[page.Row][h.Line]; count > 0 && h.Line != title {
				add(h.Line, count)
			}
		}
	}
	return out, nil
}
