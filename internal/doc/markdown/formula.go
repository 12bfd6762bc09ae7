package markdown

import (
	"bytes"

	"github.com/cairn-kb/cairn/internal/doc"
)

// formula returns the end of the formula that begins with the dollar at i, or where to
// continue when none does. A formula contains no links and no tags.
func (s *linkScanner) formula(i int) int {
	if n := len(s.openers); n > 1 && s.openers[n-2].bracket == s.openers[n-1].bracket-1 {
		return i + 1 // the name of a page may contain a dollar
	}
	if s.at(i+1) != '$' {
		return max(doc.Formula(s.text[:s.end], i), i+1)
	}
	if end := doc.FormulaBlock(s.text, i); end > 0 {
		s.formulaEnd = end
		return min(end, s.end)
	}
	if !s.noDouble {
		if n := bytes.Index(s.text[i+2:s.end], []byte("$$")); n >= 0 {
			if end := i + 2 + n + 2; !doc.CrossesCells(s.text, i, end) {
				return end
			}
			return i + 2
		}
		s.noDouble = true
	}
	return i + 2
}
