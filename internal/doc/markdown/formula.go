package markdown

import (
	"bytes"

	"github.com/cairn-kb/cairn/internal/doc"
)

// formula returns the end of the formula that starts with the dollar at i, or the position
// to continue at if there is none. A formula contains no links and no tags.
func (s *linkScanner) formula(i int) int {
	if n := len(s.openers); n > 1 && s.openers[n-2].bracket == s.openers[n-1].bracket-1 {
		return i + 1 // the name of a page may contain a dollar
	}
	if s.at(i+1) != '$' {
		if end := doc.Formula(s.text[:s.end], i); end > 0 && !s.inCells(i, end) {
			return end
		}
		return i + 1
	}
	if end := doc.FormulaBlock(s.text, i); end > 0 {
		s.formulaEnd = end
		return min(end, s.end)
	}
	if !s.noDouble {
		if n := bytes.Index(s.text[i+2:s.end], []byte("$$")); n >= 0 {
			if end := i + 2 + n + 2; !doc.CrossesCells(s.text, i, end) && !s.inCells(i, end) {
				return end
			}
			return i + 2
		}
		s.noDouble = true
	}
	return i + 2
}

// inCells reports whether a range crosses cells of a table with a delimiter row, in which
// other rows may start without a bar.
func (s *linkScanner) inCells(start, end int) bool {
	if !doc.HasBar(s.text, start, end) {
		return false
	}
	if s.table < 0 {
		s.table = s.tableStart()
	}
	return start >= s.table
}

// tableStart returns the start of the table in the range, or the end of the range if there
// is none.
func (s *linkScanner) tableStart() int {
	head := s.start
	for at := doc.LineEnd(s.text[:s.end], head); at < s.end; {
		end := doc.LineEnd(s.text[:s.end], at)
		if isDelimiterRow(bytes.Trim(s.text[at:end], " \t>\r\n")) && doc.HasBar(s.text, head, at) {
			return head
		}
		head, at = at, end
	}
	return s.end
}
