package lsp

import (
	"context"

	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory/unsaved"
)

// subject is what a place is about: a page, or a heading or block of it.
type subject struct {
	page           kb.Page
	heading, block string
}

// subject returns what a place is about: what the link there leads to, the heading of its
// line, else the page. Its Row is 0 where no page is.
func (t *turn) subject(ctx context.Context, at *place) (s subject, err error) {
	l, ok, err := t.link(ctx, at)
	if err != nil {
		return s, err
	}
	if ok {
		if l.Page == nil {
			return s, nil
		}
		return subject{*l.Page, l.Target.Heading, l.Target.Block}, nil
	}
	if s.page, err = t.page(ctx, at); err != nil {
		return s, err
	}
	if l, ok := own(at); ok {
		s.heading, s.block = l.Heading, l.Block
	} else if h := at.heading(); h != nil && !isTitle(at.Document, h) {
		s.heading = h.Text
	}
	return s, nil
}

// isTitle reports whether a heading is the title of its page: the links to it are those to
// the page.
func isTitle(d *doc.Document, h *doc.Heading) bool {
	for _, n := range d.Nodes {
		if n.Heading >= 0 && n.Headings[n.Heading].Line == h.Line {
			return true
		}
		if len(n.Headings) > 0 && n.Headings[0].Line == h.Line && n.Title == h.Text && h.Level == 1 {
			return true
		}
	}
	return false
}

// references lists the links to what a place is about.
func references(ctx context.Context, t *turn, p referenceParams) (any, error) {
	at, err := t.at(ctx, p.positionParams)
	if err != nil || at == nil {
		return nil, err
	}
	s, err := t.subject(ctx, at)
	if err != nil || s.page.Row == 0 {
		return nil, err
	}
	out := []location{}
	declared, err := t.reader.Locate(ctx, s.page, s.heading, s.block)
	if err != nil {
		return nil, err
	}
	if l, ok := t.location(declared); ok && p.Context.IncludeDeclaration {
		out = append(out, l)
	}
	found, err := t.reader.Backlinks(ctx, []kb.Page{s.page}, func(l unsaved.Link) bool {
		if s.heading == "" && s.block == "" {
			return true
		}
		part, ok := unsaved.Part(declared.Document, &declared.Document.Nodes[declared.Node], l.Target.Heading, l.Target.Block)
		return ok && part == declared.Span
	})
	if err != nil {
		return nil, err
	}
	for _, f := range found {
		if l, ok := t.location(f); ok {
			out = append(out, l)
		}
	}
	if s.heading+s.block == "" {
		return out, nil
	}
	for _, l := range declared.Own() {
		if part, ok := unsaved.Part(declared.Document, &declared.Document.Nodes[declared.Node], l.Heading, l.Block); ok && part == declared.Span {
			if l, ok := t.location(unsaved.Place{Text: declared.Text, Span: l.Span}); ok {
				out = append(out, l)
			}
		}
	}
	return out, nil
}
