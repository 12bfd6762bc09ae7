package lsp

import (
	"context"

	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/memory/unsaved"
)

// definition answers where the link at a place leads.
func definition(ctx context.Context, t *turn, p positionParams) (any, error) {
	at, err := t.at(ctx, p)
	if err != nil || at == nil {
		return nil, err
	}
	if span, ok := own(at.Text, at.offset); ok {
		n := &at.Document.Nodes[at.node()]
		if part, ok := unsaved.Part(at.Document, n, span.heading, span.block); ok {
			l, _ := t.location(unsaved.Place{Text: at.Text, Span: part})
			return l, nil
		}
		return nil, nil
	}
	l, ok, err := t.link(ctx, at)
	if err != nil || !ok || l.Page.Row == 0 {
		return nil, err
	}
	found, err := t.reader.Locate(ctx, l.Page, l.Target.Heading, l.Target.Block)
	if err != nil {
		return nil, err
	}
	if l, ok := t.location(found); ok {
		return l, nil
	}
	return nil, nil
}

// ownLink is a link to a part of the text that it is in, such as [[#Heading]].
type ownLink struct {
	doc.Span
	heading, block string
}

// own returns the link at an offset to a part of its own text.
func own(t *unsaved.Text, offset int) (ownLink, bool) {
	for _, l := range ownLinks(t) {
		if l.Start <= offset && offset <= l.End {
			return l, true
		}
	}
	return ownLink{}, false
}
