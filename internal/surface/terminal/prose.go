package terminal

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"

	"github.com/cairn-kb/cairn/internal/kb/lazyregexp"
)

// fullLine is how many columns a line of a paragraph has at least that an editor broke.
const fullLine = 50

// Prose prints lines of a document, of Org or of Markdown, indented. For a person, lines of a
// paragraph that were broken at the width of an editor flow on, so that they break at that of
// the terminal only.
func (o *Page) Prose(indent int, lines []string, org bool) {
	if o.Width > 0 {
		lines = flow(lines, org)
	}
	for _, line := range lines {
		if line != "" {
			o.Textf(indent, "%s", line)
		}
	}
}

func flow(lines []string, org bool) (out []string) {
	var paragraph strings.Builder // the lines that are joined so far
	var last rune                 // of the paragraph
	begun, goesOn := false, false
	until := "" // what closes the code or formula around, "" outside of them
	for _, line := range lines {
		text := strings.TrimSpace(line)
		within := until != ""
		if within && strings.HasSuffix(text, until) {
			until = ""
		} else if !within {
			until = opens(text, org)
		}
		within = within || until != ""
		next, _ := utf8.DecodeRuneInString(text)
		switch {
		case goesOn && !within && isText(line, org):
			if !unspaced(last) || !unspaced(next) {
				paragraph.WriteByte(' ')
			}
			paragraph.WriteString(text)
		default:
			if begun {
				out = append(out, paragraph.String())
			}
			paragraph.Reset()
			paragraph.WriteString(line)
			begun = true
		}
		last, _ = utf8.DecodeLastRuneInString(text)
		goesOn = !within && ansi.StringWidth(line) >= fullLine && !strings.HasSuffix(line, "  ") && !strings.HasSuffix(line, "\\") &&
			(isText(line, org) || isItem(line, org))
	}
	if begun {
		out = append(out, paragraph.String())
	}
	return out
}

// opens returns the end of the line that closes the code or formula of several lines that a
// line opens, "" for none.
func opens(text string, org bool) string {
	switch lower := strings.ToLower(text); {
	case org && strings.HasPrefix(lower, "#+begin_"):
		name, _, _ := strings.Cut(text[len("#+begin_"):], " ")
		return text[:len("#+")] + "end" + text[len("#+begin"):len("#+begin_")] + name
	case !org && strings.HasPrefix(text, "```"), !org && strings.HasPrefix(text, "~~~"):
		return text[:len("```")]
	case strings.HasPrefix(text, "$$") && !strings.Contains(text[len("$$"):], "$$"):
		return "$$"
	}
	return ""
}

// unspaced reports whether a character is of a script without blanks between words.
func unspaced(r rune) bool {
	return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana) || r >= 0x3000 && r <= 0x30FF || r >= 0xFF00 && r <= 0xFFEF
}

// field begins a line that names a property: "Date: 2026-11-24", "due:: 2026".
var field = lazyregexp.New(`^\p{L}[\p{L}\d_-]*(?: [\p{L}\d_-]+)?::? `)

// isText reports whether a line goes on in the line before: it begins with a word and not with
// markup of a block.
func isText(line string, org bool) bool {
	text := strings.TrimLeft(line, " ")
	if text == "" || len(line)-len(text) > 3 || isItem(line, org) || field().MatchString(text) {
		return false
	}
	first, _ := utf8.DecodeRuneInString(text)
	return unicode.IsLetter(first) || unicode.IsDigit(first) || strings.ContainsRune("([`\"'*_«“„「『（", first) && !strings.HasPrefix(text, "* ")
}

// isItem reports whether a line begins an item of a list. In Org a star at the start of a
// line begins a heading.
func isItem(line string, org bool) bool {
	text := strings.TrimLeft(line, " ")
	rest := strings.TrimLeft(text, "0123456789")
	if rest != text {
		return strings.HasPrefix(rest, ". ") || strings.HasPrefix(rest, ") ")
	}
	return len(text) > 1 && strings.ContainsRune("-*+", rune(text[0])) && text[1] == ' ' && !(org && line[0] == '*')
}
