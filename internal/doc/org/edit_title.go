package org

import (
	"strings"

	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/kb"
)

// setTitle sets the heading's text, or the file's #+title and the first
// top heading that had the same text.
func (p plan) setTitle(title string) ([]doc.Splice, error) {
	title = strings.TrimSpace(title)
	if title == "" {
		return nil, kb.Errorf(kb.Usage, "a page has a title")
	}
	if err := doc.OneLine("a title", title); err != nil {
		return nil, err
	}
	if p.node > 0 {
		return p.setHeading(p.roots[p.node], title)
	}
	splices, err := p.set("title", func(string) string { return title })
	if err != nil {
		return nil, err
	}
	for i, h := range p.headings {
		if h.level == 1 && p.owner[i] == 0 && h.text == p.n.Title {
			more, err := p.setHeading(i, title)
			return append(splices, more...), err
		}
	}
	return splices, nil
}

// setHeading replaces a heading's text. Tags aligned in a column stay there while there is
// room.
func (p plan) setHeading(i int, title string) ([]doc.Splice, error) {
	h := p.headings[i]
	end, _ := lineEnd(p.text, h.line.Start)
	line := string(p.text[h.line.Start:h.title.Start])
	if h.title.Len() == 0 && !strings.HasSuffix(line, " ") {
		line += " "
	}
	line += title + string(p.text[h.title.End:end])
	if again := readHeading([]byte(line), doc.Span{Start: 0, End: len(line)}, p.todo); again.text != title ||
		again.todo != h.todo || len(again.tags) != len(h.tags) {
		return nil, kb.Errorf(kb.Invalid, "Org would read something else in a heading with this title")
	}
	splices := []doc.Splice{{Span: h.title, New: title}}
	if gap := h.tagsAt.Start - h.title.End; h.tags != nil && gap > 1 {
		splices[0].End = h.tagsAt.Start
		splices[0].New += strings.Repeat(" ", max(1, gap+h.title.Len()-len(title)))
	}
	return splices, nil
}
