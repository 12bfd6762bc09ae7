package org

import (
	"bytes"

	"github.com/cairn-kb/cairn/internal/doc"
)

// A keyword is a line "#+key: value".
type keyword struct {
	key   string // lower case
	keyAt doc.Span
	value doc.Span // trimmed
	line  doc.Span // with its line end
}

// readKeyword reads the line at a span that includes its line end.
func readKeyword(text []byte, line doc.Span) (keyword, bool) {
	end, _ := lineEnd(text, line.Start)
	k, ok := readKeywordLine(text, line.Start, end)
	k.line = line
	return k, ok
}

func readKeywordLine(text []byte, start, end int) (keyword, bool) {
	if s := trimLeft(text[start:end]); len(s) < 4 || s[0] != '#' || s[1] != '+' {
		return keyword{}, false
	}
	c := cursor{text, start, end}
	c.trim()
	c.pos += 2
	key := c.pos
	for c.pos < c.end && isKeyByte(text[c.pos]) {
		c.pos++
	}
	if c.pos == key || c.pos == c.end || text[c.pos] != ':' || c.pos-key > maxName {
		return keyword{}, false
	}
	k := keyword{key: string(bytes.ToLower(text[key:c.pos])), keyAt: doc.Span{Start: key, End: c.pos}}
	c.skip(1)
	k.value = doc.Span{Start: c.pos, End: c.end}
	return k, true
}

func isKeyByte(c byte) bool { return c == '_' || c == '-' || isAlnum(c) }

// isComment reports whether the line is "# text" or a lone "#".
func isComment(line []byte) bool {
	s := trimLeft(line)
	return len(s) > 0 && s[0] == '#' && (len(s) == 1 || s[1] == ' ' || s[1] == '\t')
}

// affiliated are the keywords that belong to the following element, and therefore end the
// head of a file.
var affiliated = map[string]bool{
	"caption": true, "name": true, "header": true, "headers": true, "results": true, "plot": true,
	"attr_html": true, "attr_latex": true, "attr_org": true, "tblname": true,
	"begin": true, "end": true, "call": true, "include": true, "tblfm": true, "toc": true,
	"html": true, "latex": true, "transclude": true,
}

// settings are the keywords that configure Org rather than describe the page.
var settings = map[string]bool{
	"options": true, "startup": true, "tags": true, "todo": true, "seq_todo": true, "typ_todo": true,
	"priorities": true, "property": true, "setupfile": true, "columns": true, "archive": true,
	"link": true, "macro": true, "bind": true, "constants": true, "select_tags": true, "exclude_tags": true,
	"cite_export": true, "infojs_opt": true, "export_file_name": true,
	"latex_class": true, "latex_class_options": true, "latex_header": true, "latex_header_extra": true,
	"latex_compiler": true, "html_head": true, "html_head_extra": true, "html_doctype": true,
	"html_container": true, "html_link_home": true, "html_link_up": true, "html_mathjax": true,
}

// planningWords open a planning line.
var planningWords = []string{"SCHEDULED:", "DEADLINE:", "CLOSED:"}

// isPlanning reports whether the line after a heading has its dates.
func isPlanning(line []byte) bool {
	s := trimLeft(line)
	for _, w := range planningWords {
		if bytes.HasPrefix(s, []byte(w)) {
			return true
		}
	}
	return false
}
