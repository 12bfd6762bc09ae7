package doc

import (
	"bytes"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/cairn-kb/cairn/internal/kb/lazyregexp"
)

// Formula returns the end of the formula $…$ that starts with the dollar at i, 0 for none.
// The index and the web UI share the rule, which is that of Pandoc and Obsidian: no blank
// next to the dollars inside, no digit after the last one, all on one line. It is stricter
// for prices, shell variables and regular expressions, since a link or tag must not be lost
// in them.
func Formula[T string | []byte](text T, i int) int {
	end := i + 1
	for ; end < len(text) && text[end] != '$'; end++ {
		if text[end] == '\n' || text[end] == '\r' {
			return 0
		}
		if text[end] == '\\' {
			end++
		}
	}
	if end >= len(text) || end == i+1 {
		return 0
	}
	tex := string(text[i+1 : end])
	attached := strings.IndexByte(`\^_`, tex[0]) >= 0 // as in CO$_2$, 10$^{-3}$ and 5$\mu$m
	before, _ := utf8.DecodeLastRuneInString(string(text[max(0, i-utf8.UTFMax):i]))
	if before == '$' || spaced(before) && !attached || !isFormula(tex) || CrossesCells(text, i, end) {
		return 0
	}
	const suffix = 4 // bytes: a suffix such as "th" has three at most
	rest := string(text[end+1 : min(len(text), end+1+suffix+utf8.UTFMax)])
	after, _ := utf8.DecodeRuneInString(strings.TrimPrefix(rest, "/"))
	switch {
	case strings.HasPrefix(rest, "$"), strings.HasPrefix(rest, "("), strings.HasPrefix(rest, "{"), rest != "" && rest[0] >= '0' && rest[0] <= '9':
		return 0
	case spaced(after) && !attached && !isSuffix(tex, rest):
		return 0
	}
	return end + 1
}

// longestRow is the maximum distance to the start of a table row, in bytes, since a line may
// have any number of formulas.
const longestRow = 4 << 10

// blockMarks are the characters of the markers of quotations and list items at the
// start of a line.
const blockMarks = " \t>-*+.)0123456789"

// CrossesCells reports whether a range is in a table row that starts with a bar, and
// contains a bar that ends a cell: a table is split into cells before its formulas are
// parsed. In Markdown a row may also start without a bar, which depends on the lines above
// it.
func CrossesCells[T string | []byte](text T, start, end int) bool {
	if !HasBar(text, start, end) {
		return false
	}
	row := start
	for row > 0 && text[row-1] != '\n' {
		if row--; start-row > longestRow {
			return false
		}
	}
	for row < start && strings.IndexByte(blockMarks, text[row]) >= 0 {
		row++
	}
	return text[row] == '|'
}

// HasBar reports whether a range contains a bar that ends a cell in a table row.
func HasBar[T string | []byte](text T, start, end int) bool {
	for ; start < end; start++ {
		switch text[start] {
		case '|':
			return true
		case '\\':
			start++
		}
	}
	return false
}

// spaced reports whether a character belongs to a script that separates words with
// blanks, or to a variable. Chinese, Japanese and Korean have formulas directly
// next to words.
func spaced(r rune) bool {
	return r == '_' || unicode.IsDigit(r) || unicode.In(r, unicode.Latin, unicode.Greek, unicode.Cyrillic)
}

// isSuffix reports whether a text starts with a suffix of a formula, as in "the $n$th".
func isSuffix(tex, rest string) bool {
	last, _ := utf8.DecodeLastRuneInString(tex)
	n := 0
	for n < len(rest) && rest[n] >= 'a' && rest[n] <= 'z' {
		n++
	}
	next, _ := utf8.DecodeRuneInString(rest[n:])
	return n > 0 && n <= 3 && !spaced(next) && (unicode.IsLetter(last) || unicode.IsDigit(last) || last == ')' || last == '}')
}

// isFormula reports whether the text between two dollars may be a formula.
func isFormula(tex string) bool {
	first, last := tex[0], tex[len(tex)-1]
	switch {
	case strings.IndexByte(" \t,;)/", first) >= 0, strings.IndexByte(" \t^_", last) >= 0, strings.HasPrefix(tex, "|^"), strings.IndexByte(tex, '`') >= 0, variable().MatchString(tex):
		return false
	}
	depth := 0
	for i := range len(tex) {
		switch tex[i] {
		case '[':
			depth++
		case ']':
			if depth--; depth < 0 && strings.HasPrefix(tex[i+1:], "(") {
				return false // a link that began before the formula
			}
		}
	}
	if first >= '0' && first <= '9' || strings.Contains(tex, "[[") || strings.Contains(tex, "](") || strings.Contains(tex, " #") {
		return !hasWord(tex)
	}
	return true
}

// variable begins a text as a variable of a shell does after its dollar: ${NAME}.
var variable = lazyregexp.New(`^\{[A-Za-z_][A-Za-z0-9_]*\}(?:[^_^]|$)`)

// hasWord reports whether words are between blanks, outside of braces: "5 for a seat, or US".
func hasWord(tex string) bool {
	depth := 0
	for _, word := range strings.Fields(tex) {
		inside := depth
		depth += strings.Count(word, "{") - strings.Count(word, "}")
		word = strings.TrimRight(word, ",.;:!?")
		if inside == 0 && utf8.RuneCountInString(word) > 1 && strings.IndexFunc(word, func(r rune) bool { return !unicode.IsLetter(r) }) < 0 {
			return true
		}
	}
	return false
}

// FormulaBlock returns the end of the formula of several lines that "$$" at i opens at the
// start of its line, 0 for none. The next "$$" closes it: at the end of a line of its
// paragraph, or alone on a line after a blank one. All lines are in the same quotation and
// item, and none is a heading: a mark that was left open does not hide the rest of the page.
func FormulaBlock(text []byte, i int) int {
	from := i // a long line may have any number of "$$"
	for from > 0 && strings.IndexByte(blockMarks, text[from-1]) >= 0 {
		from--
	}
	if from > 0 && text[from-1] != '\n' {
		return 0
	}
	lead := text[from:i]
	at := LineEnd(text, i)
	if bytes.Contains(text[i+len("$$"):at], []byte("$$")) {
		return 0
	}
	depth, indent := bytes.Count(lead, []byte(">")), 0
	if inner := lead[bytes.LastIndexByte(lead, '>')+1:]; len(bytes.TrimSpace(inner)) > 0 {
		indent = len(inner) - len(bytes.TrimLeft(inner, " \t")) + 1
	}
	for blank := false; at < len(text); {
		end := LineEnd(text, at)
		line := bytes.TrimRight(text[at:end], " \t\r\n")
		rest := bytes.TrimLeft(line, " \t>")
		head := line[:len(line)-len(rest)]
		inner := len(head) - bytes.LastIndexByte(head, '>') - 1
		if bytes.Count(head, []byte(">")) != depth || len(rest) > 0 && inner < indent || isHeading(rest) {
			return 0
		}
		if mark := bytes.Index(rest, []byte("$$")); mark >= 0 {
			if mark+len("$$") < len(rest) || blank && mark > 0 {
				return 0
			}
			return end
		}
		blank = blank || len(rest) == 0
		at = end
	}
	return 0
}

// isHeading reports whether a line is a heading of Markdown.
func isHeading(line []byte) bool {
	n := len(line) - len(bytes.TrimLeft(line, "#"))
	return n > 0 && n <= 6 && n < len(line) && (line[n] == ' ' || line[n] == '\t')
}
