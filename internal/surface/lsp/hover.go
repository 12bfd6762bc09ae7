package lsp

import (
	"context"
	"fmt"
	"strings"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory/retrieve"
	"github.com/cairn-kb/cairn/internal/memory/space"
	"github.com/cairn-kb/cairn/internal/memory/unsaved"
)

// maxExcerpt bounds the first paragraph in a hover, in bytes.
const maxExcerpt = 1200

// hoverAt describes the page that the link at a place leads to.
func hoverAt(ctx context.Context, t *turn, p positionParams) (any, error) {
	at, err := t.at(ctx, p)
	if err != nil || at == nil {
		return nil, err
	}
	l, ok, err := t.link(ctx, at)
	if err != nil || !ok {
		return nil, err
	}
	text := ""
	switch {
	case l.Page != nil:
		text, err = t.describe(ctx, *l.Page, l.Target.Heading, l.Target.Block)
	case l.Candidates > 1:
		text = fmt.Sprintf("%d pages are called %s", l.Candidates, t.plain(l.Name))
	case !l.Unwritten():
		text = "no page is called " + t.plain(l.Name)
	}
	if err != nil || text == "" {
		return nil, err
	}
	return hover{t.markup(text), at.lines.span(l.Target.Span)}, nil
}

// markup is a text for the client, which may read Markdown.
func (t *turn) markup(text string) markup {
	if t.server.client.markdown {
		return markup{"markdown", text}
	}
	return markup{"plaintext", strings.NewReplacer("**", "", "`", "").Replace(text)}
}

// describe is a page in a few lines: its title, type and status, how many links lead to it,
// and its first paragraph, or that of a section.
func (t *turn) describe(ctx context.Context, p kb.Page, heading, block string) (string, error) {
	n, err := t.reader.Linking(ctx, p)
	if err != nil {
		return "", err
	}
	found, err := t.reader.Locate(ctx, p, heading, block)
	if err != nil {
		return "", err
	}
	facts := []string{p.Ref()}
	if p.Type != "" {
		facts = append(facts, p.Type)
	}
	facts = append(facts, string(p.Status), api.Plural(n, "backlink"))
	lines := []string{"**" + t.plain(p.Title) + "**", t.plain(strings.Join(facts, " · "))}
	if text := excerpt(found, p, heading+block != ""); text != "" {
		lines = append(lines, text)
	}
	return strings.Join(lines, "\n\n"), nil
}

// plain is a text of one line, in which the client shows no markup.
func (t *turn) plain(text string) string {
	if !t.server.client.markdown {
		return text
	}
	return strings.NewReplacer("\\", "\\\\", "*", "\\*", "_", "\\_", "`", "\\`", "[", "\\[", "<", "&lt;").Replace(text)
}

// excerpt is the first paragraph of a page, or of the section or block at its place.
func excerpt(at unsaved.Place, p kb.Page, part bool) string {
	n := &at.Document.Nodes[at.Node]
	region := n.Truth
	if part {
		region = at.Span
		for _, h := range n.Headings {
			if h.Line == at.Span {
				region = doc.Span{Start: h.Line.End, End: h.Section.End}
			}
		}
	} else if p.Summary != "" {
		return cut(p.Summary, maxExcerpt)
	}
	const enough = 64 << 10
	region.End = min(region.End, region.Start+enough)
	text := at.Document.Slice(region)
	if prose := retrieve.Prose(text); prose != "" {
		text = prose
	}
	return cut(space.FirstParagraph(text), maxExcerpt)
}

// cut shortens a text to some bytes.
func cut(text string, most int) string {
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "") + "…"
}
