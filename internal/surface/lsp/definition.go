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
	if l, ok := own(at); ok {
		n := &at.Document.Nodes[at.NodeAt(at.offset)]
		if part, ok := unsaved.Part(at.Document, n, l.Heading, l.Block); ok {
			l, _ := t.location(unsaved.Place{Text: at.Text, Span: part})
			return l, nil
		}
		return nil, nil
	}
	l, ok, err := t.link(ctx, at)
	if err != nil || !ok || l.Page == nil {
		return nil, err
	}
	found, err := t.reader.Locate(ctx, *l.Page, l.Target.Heading, l.Target.Block)
	if err != nil {
		return nil, err
	}
	if l, ok := t.location(found); ok {
		return l, nil
	}
	return nil, nil
}

// own returns the link at a place to a part of its own text.
func own(at *place) (doc.Target, bool) {
	for _, l := range at.Own() {
		if l.Span.Start <= at.offset && at.offset <= l.Span.End {
			return l, true
		}
	}
	return doc.Target{}, false
}
