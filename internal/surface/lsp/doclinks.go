package lsp

import (
	"context"
	"path/filepath"

	"github.com/cairn-kb/cairn/internal/kb"
)

// documentLinks lists the links of a document that lead to files, and where.
func documentLinks(ctx context.Context, t *turn, p documentParams) (any, error) {
	text, err := t.text(ctx, p.TextDocument.URI)
	if err != nil || text == nil {
		return nil, err
	}
	if text, err = t.reader.Resolved(ctx, text); err != nil {
		return nil, err
	}
	spaces, err := t.reader.Session.Spaces.Directories(ctx)
	if err != nil {
		return nil, err
	}
	roots := map[kb.ID]string{}
	for _, s := range spaces {
		roots[s.ID] = s.Root
	}
	lines := t.mapOf(text)
	out := []documentLink{}
	for _, l := range text.Links {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if l.Page == nil {
			continue
		}
		root := roots[l.Page.SpaceID]
		if root == "" {
			continue
		}
		out = append(out, documentLink{
			Range: lines.span(l.Target.Span), Target: uriOf(filepath.Join(root, filepath.FromSlash(l.Page.Path))), Tooltip: l.Page.Title,
		})
	}
	return out, nil
}
