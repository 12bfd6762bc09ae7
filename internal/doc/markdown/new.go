package markdown

import (
	"strings"

	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/kb"
)

// New renders a new page: frontmatter with the content of p, a blank line, the body.
func (c Codec) New(p doc.NewPage) ([]byte, error) {
	eol := doc.DetectEOL([]byte(p.Body))
	var head strings.Builder
	y := matterEditor{d: &doc.Document{EOL: eol}}
	add := func(key, value string) { head.WriteString(y.name(key) + ":" + value + eol) }
	scalar := func(key, value string) error {
		text, err := y.scalar(key, field{}, 0, value, false)
		add(key, " "+text)
		return err
	}
	for _, f := range []struct{ key, value string }{
		{"id", p.ID}, {"title", strings.TrimSpace(p.Title)}, {"type", p.Type}, {"status", p.Status},
		{"created", p.Created}, {"summary", strings.TrimSpace(p.Summary)},
	} {
		if f.value == "" {
			continue
		}
		if err := doc.OneLine("the "+f.key, f.value); err != nil {
			return nil, err
		}
		if err := scalar(f.key, f.value); err != nil {
			return nil, err
		}
	}
	if tags := doc.Tags(p.Tags); len(tags) > 0 {
		add("tags", y.blockItems("tags", "  ", tags))
	}
	for _, f := range p.Metadata {
		switch {
		case f.List && len(f.Values) == 0:
			add(f.Key, " []")
		case f.List:
			add(f.Key, y.blockItems(f.Key, "  ", f.Values))
		case len(f.Values) == 1:
			if err := scalar(f.Key, f.Values[0]); err != nil {
				return nil, err
			}
		}
	}
	text := p.Body
	if c.syntax.Blocks {
		fields, err := newFielded(p, eol)
		if err != nil {
			return nil, err
		}
		if body := strings.TrimLeft(p.Body, "\r\n"); fields != "" {
			text = fields
			if body != "" {
				text += eol + body
			}
		}
	} else if head.Len() > 0 {
		text = "---" + eol + head.String() + "---" + eol
		if body := strings.TrimLeft(p.Body, "\r\n"); body != "" {
			text += eol + body
		}
	}
	if text != "" && !strings.HasSuffix(text, "\n") {
		text += eol
	}
	out, err := doc.Encode([]byte(text), doc.UTF8)
	if err != nil {
		return nil, err
	}
	n := c.Parse("", out).Nodes[0]
	if head.Len() > 0 && len(n.Metadata) == 0 || n.ID != p.ID || n.Title != strings.TrimSpace(p.Title) && p.Title != "" {
		return nil, kb.Errorf(kb.Invalid, "this page would not read back as it was given")
	}
	return out, nil
}
