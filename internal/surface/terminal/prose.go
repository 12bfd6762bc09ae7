package terminal

import (
	"strings"
	"unicode"
)

// fullLine is how many bytes a line of a paragraph has at least that an editor broke.
const fullLine = 50

// Prose prints lines of a document, indented. For a person, lines of a paragraph that were
// broken at the width of an editor flow on, so that they break at that of the terminal only.
func (o *Page) Prose(indent int, lines []string) {
	if o.Width > 0 {
		lines = flow(lines)
	}
	for _, line := range lines {
		if line != "" {
			o.Textf(indent, "%s", line)
		}
	}
}

func flow(lines []string) (out []string) {
	fenced, goesOn := false, false
	for _, line := range lines {
		mark := strings.HasPrefix(strings.TrimSpace(line), "```") || strings.HasPrefix(strings.TrimSpace(line), "~~~")
		switch {
		case mark || fenced:
			out = append(out, line)
			fenced = fenced != mark
			goesOn = false
			continue
		case goesOn && isText(line):
			out[len(out)-1] += " " + strings.TrimSpace(line)
		default:
			out = append(out, line)
		}
		goesOn = len(line) >= fullLine && !strings.HasSuffix(line, "  ") && !strings.HasSuffix(line, "\\") &&
			(isText(line) || isItem(line))
	}
	return out
}

// isText reports whether a line goes on in the line before: it begins with a word and not with
// markup of a block.
func isText(line string) bool {
	text := strings.TrimLeft(line, " ")
	if text == "" || len(line)-len(text) > 3 || isItem(line) {
		return false
	}
	first := []rune(text)[0]
	return unicode.IsLetter(first) || unicode.IsDigit(first) || strings.ContainsRune("([`\"'*_«“„", first) && !strings.HasPrefix(text, "* ")
}

// isItem reports whether a line begins an item of a list.
func isItem(line string) bool {
	text := strings.TrimLeft(line, " ")
	rest := strings.TrimLeft(text, "0123456789")
	if rest != text {
		return strings.HasPrefix(rest, ". ") || strings.HasPrefix(rest, ") ")
	}
	return len(text) > 1 && strings.ContainsRune("-*+", rune(text[0])) && text[1] == ' '
}
