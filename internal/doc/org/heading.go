package org

import (
	"bytes"
	"unicode"
	"unicode/utf8"

	"github.com/cairn-kb/cairn/internal/doc"
)

// A heading is a headline and its subtree.
type heading struct {
	level  int
	todo   string // keyword, "" if there is none
	done   bool
	title  doc.Span // without stars, keyword, priority, COMMENT and tags
	text   string   // the title as plain text
	tags   []string
	tagsAt doc.Span // ":a:b:", empty at the end of the title when there are none
	line   doc.Span // with its line end
	head   doc.Span // planning lines and drawer; empty after line if there are none
	drawer *drawer  // nil if there is none
	broken bool     // it has a malformed property drawer
	parent int      // index of the heading above; -1 at the top
	end    int      // end of the subtree
}

// readHeading parses a heading line, given without its line end.
func readHeading(text []byte, at doc.Span, todo todoWords) heading {
	level := stars(text[at.Start:at.End])
	s := cursor{text, at.Start + level, at.End}
	s.trim()
	h := heading{level: level}
	if word := s.word(); todo.has(word) {
		h.todo, h.done = word, todo.done[word]
		s.skip(len(word))
	}
	if w := s.word(); len(w) == 4 && w[0] == '[' && w[1] == '#' && w[3] == ']' {
		s.skip(4)
	}
	if s.word() == "COMMENT" {
		s.skip(len("COMMENT"))
	}
	h.tagsAt = tagsSpan(text, s.pos, s.end)
	h.tags = splitTags(text[h.tagsAt.Start:h.tagsAt.End])
	if h.tags != nil {
		s.end = h.tagsAt.Start
		s.trim()
	} else {
		h.tagsAt = doc.Span{Start: s.end, End: s.end}
	}
	h.title = doc.Span{Start: s.pos, End: s.end}
	h.text = plainText(text[s.pos:s.end])
	return h
}

// A cursor consumes words from the front of a line.
type cursor struct {
	text     []byte
	pos, end int
}

func (c *cursor) trim() {
	for c.pos < c.end && (c.text[c.pos] == ' ' || c.text[c.pos] == '\t') {
		c.pos++
	}
	for c.end > c.pos && (c.text[c.end-1] == ' ' || c.text[c.end-1] == '\t') {
		c.end--
	}
}

// word returns the word at the cursor, cut if it is too long to be a keyword.
func (c *cursor) word() string {
	s := c.text[c.pos:min(c.end, c.pos+maxName)]
	if i := bytes.IndexAny(s, " \t"); i >= 0 {
		s = s[:i]
	}
	return string(s)
}

func (c *cursor) skip(n int) {
	c.pos += n
	c.trim()
}

// tagsSpan returns the span of ":a:b:" at the end of a headline; it is empty
// when the headline has no tags.
func tagsSpan(text []byte, start, end int) doc.Span {
	none := doc.Span{Start: end, End: end}
	if end-start < 3 || text[end-1] != ':' {
		return none
	}
	i := end
	for i > start && text[i-1] != ' ' && text[i-1] != '\t' {
		i--
	}
	// i > start: tags need a blank before them, or must be the whole text.
	if text[i] != ':' || !areTags(text[i:end]) {
		return none
	}
	return doc.Span{Start: i, End: end}
}

// areTags reports whether s is ":a:b:" with Org's tag characters.
func areTags(s []byte) bool {
	if len(s) < 3 {
		return false
	}
	last := byte(0)
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRune(s[i:])
		if r == ':' && last == ':' || r != ':' && !isTagRune(r) {
			return false
		}
		last = s[i]
		i += n
	}
	return true
}

// isTagRune reports whether r is allowed in a heading's tag.
func isTagRune(r rune) bool {
	return r == '_' || r == '@' || r == '#' || r == '%' || unicode.IsLetter(r) || unicode.IsDigit(r)
}

// splitTags splits ":a:b:", words of that form, or plain words into tags
// without duplicates.
func splitTags(s []byte) []string {
	var tags []string
	seen := map[string]bool{}
	for _, t := range bytes.FieldsFunc(s, func(r rune) bool { return r == ':' || r == ' ' || r == '\t' || r == ',' }) {
		if tag := string(t); !seen[tag] {
			seen[tag] = true
			tags = append(tags, tag)
		}
	}
	return tags
}
