package markdown

import (
	"bytes"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/kb"
)

// words reads the tags of a paragraph or heading after its links, from index first on, and
// words that are links: "@name", and tags that link to pages.
func (s *scanner) words(at doc.Span, first int) {
	before := len(s.n.InlineTags)
	s.tags(at)
	syntax := s.links.syntax
	if syntax.Blocks {
		kept := slices.DeleteFunc(s.n.InlineTags[before:], func(t doc.InlineTag) bool { return s.isPriority(t.Span) })
		s.n.InlineTags = s.n.InlineTags[:before+len(kept)]
	}
	if !syntax.TagLinks && syntax.Mentions == "" {
		return
	}
	if syntax.TagLinks {
		for _, t := range s.n.InlineTags[before:] {
			if !s.wideTag(t, first) {
				s.mention(t.Span, syntax.Topics+t.Name)
			}
		}
	}
	if syntax.Mentions != "" {
		s.mentions(at, syntax.Mentions)
	}
	slices.SortStableFunc(s.n.Links[first:], func(a, b doc.Link) int { return a.Span.Start - b.Span.Start })
}

// wideTag makes the link within "#[[two words]]", which is among those from index first on,
// the link of a tag.
func (s *scanner) wideTag(t doc.InlineTag, first int) bool {
	for i := first; i < len(s.n.Links); i++ {
		if l := &s.n.Links[i]; l.Span.Start == t.Span.Start+1 && l.Span.End == t.Span.End {
			l.Kind = doc.Mention
			return true
		}
	}
	return false
}

// isPriority reports whether a tag is the priority of a task, "[#A]".
func (s *scanner) isPriority(at doc.Span) bool {
	return at.Len() == 2 && at.Start > 0 && s.text[at.Start-1] == '[' && at.End < len(s.text) && s.text[at.End] == ']' &&
		'A' <= s.text[at.Start+1] && s.text[at.Start+1] <= 'Z'
}

func (s *scanner) mention(at doc.Span, name string) {
	s.n.Links = append(s.n.Links, doc.Link{Type: kb.PlainLink, Target: doc.Target{
		Kind: doc.Mention, Raw: string(s.text[at.Start:at.End]), Name: name, Span: at, NameAt: at,
	}})
}

// mentions adds "@name" in running text: after a blank or an opening sign, up to a character
// that is not a letter, a digit, or a single sign between them.
func (s *scanner) mentions(at doc.Span, prefix string) {
	hidden := s.links.hiddenSpans()
	for i := at.Start; i < at.End; i++ {
		for len(hidden) > 0 && hidden[0].End <= i {
			hidden = hidden[1:]
		}
		if len(hidden) > 0 && hidden[0].Start <= i {
			i = hidden[0].End - 1
			continue
		}
		if s.text[i] != '@' || i > at.Start && !isSpace(s.text[i-1]) && bytes.IndexByte([]byte(`([{"'<,;*`), s.text[i-1]) < 0 {
			continue
		}
		end := i + 1
		for end < at.End && (isNameByte(s.text[end]) || strings.IndexByte(".-_", s.text[end]) >= 0) {
			end++
		}
		for end > i+1 && !isNameByte(s.text[end-1]) {
			end--
		}
		if end > i+1 && isNameByte(s.text[i+1]) {
			s.mention(doc.Span{Start: i, End: end}, prefix+string(s.text[i+1:end]))
			i = end - 1
		}
	}
}

func isNameByte(c byte) bool { return isLetter(c) || isDigit(c) || c >= utf8.RuneSelf }
