package markdown

import (
	"bytes"
	"strings"

	"github.com/cairn-kb/cairn/internal/doc"
)

// atx reads "## Heading ##". Headings in quotations and lists are text, not
// sections of the page.
func (s *scanner) atx(c cursor, matched int, line doc.Span) bool {
	rest := c.rest()
	level := runLength(rest)
	if level > 6 || level < len(rest) && rest[level] != ' ' && rest[level] != '\t' {
		return false
	}
	s.closeContainers(matched)
	start := c.end - len(rest) + level
	content := doc.Span{Start: start, End: start + len(atxContent(s.text[start:c.end]))}
	if len(s.open) == 0 {
		s.heading(level, content, line)
	}
	before := len(s.n.Links)
	s.links.scan(s.n, content.Start, content.End)
	s.words(content, before)
	return true
}

// atxContent returns a heading's content without closing signs.
func atxContent(rest []byte) []byte {
	rest = bytes.TrimRight(rest, " \t")
	cut := bytes.TrimRight(rest, "#")
	if len(cut) == 0 {
		return cut
	}
	if last := cut[len(cut)-1]; len(cut) < len(rest) && (last == ' ' || last == '\t') {
		return bytes.TrimRight(cut, " \t")
	}
	return rest
}

// setext reads an underline that makes the open paragraph a heading. A "---" under a
// paragraph is one as well, as everywhere in Markdown, unless the heading "Timeline" comes
// next: then it is the line before the timeline.
func (s *scanner) setext(c cursor, line doc.Span) bool {
	rest := bytes.TrimRight(c.rest(), " \t")
	if runLength(rest) != len(rest) {
		return false
	}
	if len(s.open) == 0 && isLine(s.text[line.Start:c.end]) && s.timelineNext(line.End) {
		return false
	}
	level := 1
	if rest[0] == '-' {
		level = 2
	}
	if len(s.open) > 0 {
		s.endParagraph()
		return true
	}
	s.leaf = none
	s.heading(level, s.para, doc.Span{Start: s.paraLine.Start, End: line.End})
	before := len(s.n.Links)
	s.links.scan(s.n, s.para.Start, s.para.End)
	s.words(s.para, before)
	return true
}

// timelineNext reports whether the next line with content is the heading
// "Timeline".
func (s *scanner) timelineNext(at int) bool {
	for at < len(s.text) {
		end := doc.LineEnd(s.text, at)
		line := bytes.TrimSpace(s.text[at:end])
		if len(line) > 0 {
			level := runLength(line)
			return line[0] == '#' && level <= 6 && strings.EqualFold(string(atxContent(bytes.TrimSpace(line[level:]))), "timeline")
		}
		at = end
	}
	return false
}

// heading adds a section of the page.
func (s *scanner) heading(level int, content, line doc.Span) {
	text := s.links.plain(content)
	text = strings.TrimSpace(cutAttributes(text))
	s.entry.heading(s, level, text, line)
	var written []string
	if raw := strings.TrimSpace(string(s.text[content.Start:content.End])); raw != text {
		written = []string{raw}
	}
	s.sections.add(s.n, doc.Heading{Level: level, Text: text, Written: written, Line: line, InTruth: !s.lineFound})
}

// cutAttributes removes "{#id .class}" from the end of a heading.
func cutAttributes(text string) string {
	if !strings.HasSuffix(text, "}") {
		return text
	}
	if i := strings.LastIndex(text, "{"); i >= 0 && i+1 < len(text) && (text[i+1] == '#' || text[i+1] == '.') {
		return text[:i]
	}
	return text
}

// pathBudget bounds the total size of a page's heading paths, in addition to the size of the
// page. A long heading above a million short ones would otherwise be repeated a million
// times; beyond the limit a path is the heading's own text.
const pathBudget = 1 << 20

// sections is the stack of open sections.
type sections struct {
	open   []int // indexes into Headings, by rising level
	budget int
	begun  bool
}

func (st *sections) add(n *doc.Node, h doc.Heading) {
	if !st.begun {
		st.begun, st.budget = true, pathBudget+n.Span.Len()
	}
	for len(st.open) > 0 && n.Headings[st.open[len(st.open)-1]].Level >= h.Level {
		st.pop(n, h.Line.Start)
	}
	h.Path = h.Text
	if len(st.open) > 0 {
		above := n.Headings[st.open[len(st.open)-1]].Path
		if st.budget -= len(above); st.budget > 0 {
			h.Path = above + " > " + h.Text
		}
	}
	h.Section = doc.Span{Start: h.Line.Start}
	st.open = append(st.open, len(n.Headings))
	n.Headings = append(n.Headings, h)
}

func (st *sections) pop(n *doc.Node, end int) {
	last := len(st.open) - 1
	n.Headings[st.open[last]].Section.End = end
	st.open = st.open[:last]
}

// end closes all sections.
func (st *sections) end(n *doc.Node, end int) {
	for len(st.open) > 0 {
		st.pop(n, end)
	}
}
