package markdown

import (
	"bytes"

	"github.com/cairn-kb/cairn/internal/doc"
)

// formula returns the end of the formula that begins with the dollar at i, or where to
// continue when none does. The rules are those of tagReader.formula; "$$" on a line of its
// own may also be closed in a later paragraph. A formula contains no links.
func (s *linkScanner) formula(start, i int) int {
	if n := len(s.openers); n > 1 && s.openers[n-2].bracket == s.openers[n-1].bracket-1 {
		return i + 1 // the name of a page may contain a dollar
	}
	if s.at(i+1) == '$' {
		if !s.noDouble {
			if n := bytes.Index(s.text[i+2:s.end], []byte("$$")); n >= 0 {
				return i + 2 + n + 2
			}
			s.noDouble = true
		}
		if end := s.formulaBlock(i); end > 0 {
			s.formulaEnd = end
			return s.end
		}
		return i + 2
	}
	if c := s.at(i + 1); c == ' ' || c == '\t' || c == 0 {
		return i + 1
	}
	if end := s.closingDollar(start, i); end > 0 {
		return end + 1
	}
	return i + 1
}

// closingDollar returns the offset of the next dollar after i that may end a formula, 0 for
// none. Its queries within a range must ascend.
func (s *linkScanner) closingDollar(start, i int) int {
	if s.dollar > i || s.dollar < 0 {
		return max(s.dollar, 0)
	}
	for at := i + 1; at < s.end; at++ {
		switch {
		case s.text[at] == '\\':
			at++
		case s.text[at] == '$' && at > start && s.text[at-1] != ' ' && s.text[at-1] != '\t' && !isDigit(s.at(at+1)):
			s.dollar = at
			return at
		}
	}
	s.dollar = -1
	return 0
}

// formulaBlock returns the end of a formula that "$$" at i opens at the start of its line and
// a line "$$" closes, 0 for none. All its lines are in the same quotation, and none is a
// heading: a mark that was left open does not hide the sections that follow.
func (s *linkScanner) formulaBlock(i int) int {
	if i < s.noFormula {
		return 0
	}
	lead := s.text[doc.LineStart(s.text, i):i]
	if len(bytes.Trim(lead, " \t>-*+")) > 0 {
		return 0
	}
	depth := bytes.Count(lead, []byte(">"))
	for at := doc.LineEnd(s.text, i); at < len(s.text); {
		end := doc.LineEnd(s.text, at)
		line := bytes.TrimSpace(s.text[at:end])
		rest := bytes.TrimLeft(line, " \t>")
		if bytes.Count(line[:len(line)-len(rest)], []byte(">")) != depth || isHeadingLine(rest) {
			s.noFormula = at
			return 0
		}
		if string(rest) == "$$" {
			return end
		}
		at = end
	}
	s.noFormula = len(s.text)
	return 0
}

// isHeadingLine reports whether a line is a heading of Markdown.
func isHeadingLine(line []byte) bool {
	n := 0
	for n < len(line) && line[n] == '#' {
		n++
	}
	return n > 0 && n <= 6 && n < len(line) && (line[n] == ' ' || line[n] == '\t')
}
