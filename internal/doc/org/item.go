package org

import (
	"strings"

	"github.com/cairn-kb/cairn/internal/doc"
)

// An item is the first line of a list item.
type item struct {
	depth   int    // indentation
	checked byte   // state of a checkbox, 'x', ' ' or '-' for partly; 0 if there is none
	text    string // after bullet, counter and checkbox, trimmed
	at      int    // offset of text in the line
}

// readItem reads "- text", "+ text", "1. text", "a) text", and "* text" when
// it is indented.
func readItem(line []byte) (item, bool) {
	s := trimLeft(line)
	n := bulletLength(s, len(s) < len(line))
	if n == 0 {
		return item{}, false
	}
	it := item{depth: indentation(line)}
	c := cursor{line, 0, len(line)}
	c.trim()
	c.skip(n)
	if w := c.word(); strings.HasPrefix(w, "[@") && strings.HasSuffix(w, "]") {
		c.skip(len(w))
	}
	switch c.word() {
	case "[": // the blank in the box splits the word
		if s := string(line[c.pos:min(c.end, c.pos+4)]); s == "[ ]" || s == "[ ] " || s == "[ ]\t" {
			it.checked = ' '
		}
	case "[X]", "[x]":
		it.checked = 'x'
	case "[-]":
		it.checked = '-'
	}
	if it.checked != 0 {
		c.skip(len("[ ]"))
	}
	it.text, it.at = string(line[c.pos:c.end]), c.pos
	return it, true
}

// bulletLength returns the length of a bullet at the start of s.
func bulletLength(s []byte, indented bool) int {
	n := 0
	for n < len(s) && n < 9 && s[n] >= '0' && s[n] <= '9' {
		n++
	}
	switch {
	case n == len(s):
		return 0
	case n > 0 || len(s) > 1 && s[0]|0x20 >= 'a' && s[0]|0x20 <= 'z' && (s[1] == '.' || s[1] == ')'):
		n = max(n, 1)
		if s[n] != '.' && s[n] != ')' {
			return 0
		}
	case s[0] != '-' && s[0] != '+' && (s[0] != '*' || !indented):
		return 0
	}
	n++
	if n < len(s) && s[n] != ' ' && s[n] != '\t' {
		return 0
	}
	return n
}

// readObservation reads "[category] text". Org has other texts in brackets at the start of
// an item: timestamps, footnotes, citations, cookies.
func readObservation(text string) (doc.Observation, bool) {
	o, ok := doc.ParseObservation(text)
	if !ok {
		return o, false
	}
	if _, _, stamp := cutTimestamp(text); stamp || cookieLength(text) > 0 ||
		strings.HasPrefix(o.Category, "fn:") || strings.HasPrefix(o.Category, "cite") && strings.ContainsAny(o.Category, ":/") {
		return doc.Observation{}, false
	}
	return o, true
}

// readRelation parses "type [[target][text]] @from..until (context)" at the
// given offset.
func readRelation(text string, at int) (doc.Relation, bool) {
	i := strings.Index(text, "[[")
	if i <= 0 || i > maxName {
		return doc.Relation{}, false
	}
	kind, ok := doc.RelationType(text[:i])
	if !ok {
		return doc.Relation{}, false
	}
	s := linkScanner{s: text, base: at, closing: true}
	end := s.bracket(i)
	if len(s.links) == 0 || s.links[0].Kind == "" {
		return doc.Relation{}, false
	}
	rel, ok := doc.ParseRelationTail(text[end:])
	if !ok {
		return doc.Relation{}, false
	}
	rel.Type, rel.Target = kind, s.links[0].Target
	if label, ok := labels[kind]; ok {
		rel.Type = label
	}
	return rel, true
}

// readEntry parses a timeline entry's first line. A timestamp, with its day
// name in any language, is read as its date.
func readEntry(line string) (doc.Entry, bool) {
	if date, rest, ok := cutTimestamp(line); ok {
		if rest != "" && !isSpace(rest[0]) && rest[0] != ':' && rest[0] != '|' {
			return doc.Entry{}, false
		}
		line = date + rest
	}
	return doc.ParseEntry(line)
}
