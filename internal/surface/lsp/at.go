package lsp

import (
	"context"

	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory/unsaved"
)

// place is where a request is about: an offset of a text.
type place struct {
	*unsaved.Text
	lines  *textMap
	offset int
}

// text returns the text of a document, as it is open or indexed; nil outside of all spaces.
func (t *turn) text(ctx context.Context, uri string) (*unsaved.Text, error) {
	if d := t.docs[uri]; d != nil {
		return d.in(ctx, t.reader)
	}
	file := fileOf(uri)
	if file == "" {
		return nil, nil
	}
	f, ok, err := t.reader.Find(ctx, file)
	if err != nil || !ok {
		return nil, err
	}
	page, err := t.reader.Page(ctx, f, "")
	if err != nil || page.Row == 0 {
		return nil, err
	}
	text, _, err := t.reader.Load(ctx, page)
	return text, err
}

// at returns the place of a position; nil outside of all spaces.
func (t *turn) at(ctx context.Context, p positionParams) (*place, error) {
	text, err := t.text(ctx, p.TextDocument.URI)
	if err != nil || text == nil {
		return nil, err
	}
	lines := t.mapOf(text)
	return &place{text, lines, lines.offset(p.Position)}, nil
}

// link returns the link at a place, with where it leads; not ok where there is none.
func (t *turn) link(ctx context.Context, p *place) (l unsaved.Link, ok bool, err error) {
	for i, l := range p.Links {
		if l.Target.Span.Start > p.offset || p.offset > l.Target.Span.End {
			continue
		}
		one := *p.Text
		one.Links = p.Links[i : i+1]
		resolved, err := t.reader.Resolved(ctx, &one)
		if err != nil {
			return l, false, err
		}
		return resolved.Links[0], true, nil
	}
	return l, false, nil
}

// heading returns the heading with the place in its line, nil for none.
func (p *place) heading() *doc.Heading {
	for i := range p.Document.Nodes {
		for k, h := range p.Document.Nodes[i].Headings {
			if h.Line.Start <= p.offset && p.offset < max(h.Line.End, h.Line.Start+1) {
				return &p.Document.Nodes[i].Headings[k]
			}
		}
	}
	return nil
}

// page returns the indexed page of the place.
func (t *turn) page(ctx context.Context, p *place) (kb.Page, error) {
	page, err := t.reader.Page(ctx, p.File, p.Document.Nodes[p.NodeAt(p.offset)].ID)
	if err == nil && page.Row == 0 || p.NodeAt(p.offset) == 0 {
		return t.reader.Page(ctx, p.File, "")
	}
	return page, err
}

// location is a place of the reader as the protocol has it; not ok for one without a file.
func (t *turn) location(p unsaved.Place) (location, bool) {
	uri := t.uriOf(p.Text)
	if uri == "" {
		return location{}, false
	}
	return location{uri, t.mapOf(p.Text).inLine(p.Span)}, true
}
