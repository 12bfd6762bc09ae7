package markdown

import (
	"bytes"
	"strings"

	"github.com/cairn-kb/cairn/internal/doc"
)

// marks are the parts of a page that are markup rather than words.
type marks struct {
	all        []doc.Mark
	addressEnd int // of the last address

	// State of an open Obsidian comment, "%% … %%".
	open  bool
	at    int
	block bool // it starts its line, so it may continue after a blank line
}

func (m *marks) unseen(start, end int) {
	if start < end {
		m.all = append(m.all, doc.Mark{Span: doc.Span{Start: start, End: end}, Kind: doc.Unseen})
	}
}

// echoed marks definitions as echoes, which add nothing to the text.
func (m *marks) echoed(echoes []doc.Echo) {
	if len(echoes) == 0 {
		return
	}
	spans := make(map[doc.Span]bool, len(echoes))
	for _, x := range echoes {
		spans[x.Target.Span] = true
	}
	for i := range m.all {
		if spans[m.all[i].Span] {
			m.all[i].Kind = doc.Echoed
		}
	}
}

// endRange ends the marks that cannot continue beyond a paragraph.
func (m *marks) endRange() {
	if !m.block {
		m.open = false
	}
}

// percent reads a possible comment mark at i, within the range from start on, and returns
// the position to continue at. Percent signs also occur in ordinary text, so a comment must
// start after a blank and end before a blank or punctuation, and either both or none of its
// marks have a blank inside. A comment that continues after a blank line must start a line
// and end one.
func (s *linkScanner) percent(start, i int) int {
	if s.at(i+1) != '%' {
		return i + 1
	}
	before, after := byte(' '), s.at(i+2)
	if i > start {
		before = s.text[i-1]
	}
	if !s.marks.open {
		if isSpace(before) || before == '>' || before == '(' {
			lead := bytes.TrimRight(s.text[max(0, i-maxLead):i], " \t>-*+")
			s.marks.open, s.marks.at, s.marks.block = true, i, len(lead) == 0 && i < maxLead || len(lead) > 0 && lead[len(lead)-1] == '\n'
		}
		return i + 2
	}
	within := s.marks.at >= start
	rest := bytes.TrimLeft(s.text[i+2:min(s.end, i+2+maxLead)], " \t\r")
	spaced := isSpace(s.text[s.marks.at+2]) // then it must also end after a blank
	if isLetter(after) || isDigit(after) || isSpace(before) != spaced || !within && len(rest) > 0 && rest[0] != '\n' {
		return i + 2
	}
	s.marks.unseen(s.marks.at, i+2)
	s.marks.open = false
	return i + 2
}

// maxLead limits how far from a comment's mark the start and the end of its line
// are searched for.
const maxLead = 64

func isSpace(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' }

// markAngle marks a comment, an HTML tag, or an address in angle brackets. Other text in
// them, such as vector<int>, is not markup.
func (s *linkScanner) markAngle(start, end int) {
	inner := s.text[start:end]
	switch {
	case len(inner) < 3:
	case bytes.HasPrefix(inner, []byte("<!--")):
		s.marks.unseen(start, end)
	case isURL(inner[1 : len(inner)-1]):
		s.marks.all = append(s.marks.all, doc.Mark{Span: doc.Span{Start: start, End: end}, Kind: doc.Address})
	case isTag(inner):
		s.marks.unseen(start, end)
		s.source(start, end)
	}
}

// source adds the file shown by a tag, such as <img src="picture.png" width=300>.
func (s *linkScanner) source(start, end int) {
	for at := start; ; {
		i := bytes.IndexAny(s.text[at:end], `"'`)
		if i < 0 {
			return
		}
		before, quote := s.text[at:at+i], s.text[at+i:at+i+1]
		at += i + 1
		n := bytes.Index(s.text[at:end], quote)
		if n < 0 {
			return
		}
		if name, ok := bytes.CutSuffix(before, []byte("src=")); ok && quote[0] == '"' && len(name) > 0 && isSpace(name[len(name)-1]) {
			s.target(doc.Span{Start: at, End: at + n}, true)
			return
		}
		at += n + 1
	}
}

// isTag reports whether <…> is a known tag: template<a> in running text is
// not.
func isTag(inner []byte) bool {
	name := bytes.TrimPrefix(inner[1:len(inner)-1], []byte("/"))
	n := 0
	for n < len(name) && (isLetter(name[n]) || isDigit(name[n])) {
		n++
	}
	if n < len(name) && !bytes.ContainsAny(name[n:n+1], " \t\r\n/") {
		return false
	}
	lower := strings.ToLower(string(name[:n]))
	return inlineTags[lower] || blockTags[lower] || otherTags[lower]
}

// otherTags are inline tags other than those of headings.
var otherTags = map[string]bool{
	"abbr": true, "audio": true, "button": true, "cite": true, "dfn": true, "font": true, "ins": true, "label": true,
	"mark": true, "nobr": true, "picture": true, "q": true, "rp": true, "rt": true, "ruby": true, "source": true,
	"svg": true, "time": true, "tt": true, "var": true, "video": true, "wbr": true,
}

// markHTML marks an HTML block up to end, starting at the end of the last call. The content
// of <pre> is not marked.
func (s *scanner) markHTML(begin string, end int) {
	if begin != "<pre" && begin != "<textarea" {
		s.links.marks.unseen(s.htmlStart, end)
	}
}

// markLink marks a Markdown link or image except its text.
func (s *linkScanner) markLink(o opener, text, dest doc.Span, end int) {
	if o.image && (isBadge(s.text[dest.Start:dest.End]) || !isCaption(s.text[text.Start:text.End])) {
		s.marks.unseen(o.start, end)
		return
	}
	s.marks.unseen(o.start, text.Start)
	s.marks.unseen(text.End, end)
}

// badgeHosts are parts of the addresses of badges, images that show a number or
// a state.
var badgeHosts = []string{"shields.io", "badgen.net", "badge.svg", "/badge", "badges/", "codecov.io", "coveralls.io", "travis-ci."}

func isBadge(dest []byte) bool {
	for _, part := range badgeHosts {
		if bytes.Contains(dest, []byte(part)) {
			return true
		}
	}
	return false
}

// isCaption reports whether the text of an image is a caption, rather than a size as in
// Obsidian, or a file's name.
func isCaption(text []byte) bool {
	name := string(bytes.TrimSpace(text))
	return strings.Trim(name, "0123456789x|") != "" && !isAttachment(name)
}

// markWiki marks a wikilink except for its display text, which is between inner
// and i. An image has none.
func (s *linkScanner) markWiki(outer opener, inner, i int) {
	name := s.text[inner:i]
	bar := bytes.IndexByte(name, '|')
	target := name
	if bar >= 0 {
		target = bytes.TrimSuffix(name[:bar], []byte(`\`))
	}
	if s.syntax.LabelFirst {
		if bar > 0 && !doc.Blank(target) {
			s.marks.unseen(outer.start, inner)
			s.marks.unseen(inner+len(target), i+2)
			return
		}
		bar = -1
	}
	switch {
	case outer.image && isAttachment(string(target)):
		s.marks.unseen(outer.start, i+2)
		return
	case bar >= 0 && !doc.Blank(name[bar+1:]):
		inner += bar + 1
	}
	s.marks.unseen(outer.start, inner)
	s.marks.unseen(i, i+2)
}

// markAddress marks a URL in the text from i on. Each byte is checked for at most one URL: a
// URL cannot start within a word.
func (s *linkScanner) markAddress(start, i int) {
	if i > start && (isLetter(s.text[i-1]) || isDigit(s.text[i-1])) {
		return
	}
	rest := s.text[i:s.end]
	if !bytes.HasPrefix(rest, []byte("https://")) && !bytes.HasPrefix(rest, []byte("http://")) || i < s.marks.addressEnd {
		return
	}
	n := bytes.IndexAny(rest, " \t\r\n<>[]()`\"|")
	if n < 0 {
		n = len(rest)
	}
	end := i + len(bytes.TrimRight(rest[:n], ".,;:!?'*_"))
	s.marks.addressEnd = end
	s.marks.all = append(s.marks.all, doc.Mark{Span: doc.Span{Start: i, End: end}, Kind: doc.Address})
}
