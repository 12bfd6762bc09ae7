package lsp

import (
	"context"
	"time"

	"github.com/cairn-kb/cairn/internal/kb"
)

type rangeParams struct {
	TextDocument textDocument `json:"textDocument"`
	Range        span         `json:"range"`
}

type inlayHint struct {
	Position    position `json:"position"`
	Label       string   `json:"label"`
	PaddingLeft bool     `json:"paddingLeft"`
}

// inlayHints show after links where a relation is over, and where its page is not to be relied
// on.
func inlayHints(ctx context.Context, t *turn, p rangeParams) (any, error) {
	text, err := t.text(ctx, p.TextDocument.URI)
	if err != nil || text == nil {
		return nil, err
	}
	lines := t.mapOf(text)
	from, to := lines.offset(p.Range.Start), lines.offset(p.Range.End)
	if text, err = t.reader.Resolved(ctx, text); err != nil {
		return nil, err
	}
	today := t.reader.Session.Now().Format(time.DateOnly)
	out := []inlayHint{}
	for _, l := range text.Links {
		at := l.Target.Span.End
		label := ""
		switch {
		case at < from || at > to:
		case l.Interval().Ended(today):
			label = "ended"
		case l.Page != nil && l.Page.Status != kb.Active:
			label = string(l.Page.Status)
		}
		if label != "" {
			out = append(out, inlayHint{lines.position(at), label, true})
		}
	}
	return out, nil
}
