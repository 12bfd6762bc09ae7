package terminal

import (
	"strings"
	"testing"
)

// Paragraphs flow; headings, lists, tables, code and short lines stay as they are.
func TestProse(t *testing.T) {
	t.Parallel()
	const text = `# A heading that is as long as a line of a paragraph is
Agents make mistakes at speed. Undoing must not depend on the
user having git, or on having committed.

- an item that is long enough to be broken by an editor, and
  that goes on here
- another
1. a numbered item that is long enough to be broken by a tool
2. the next
| a table with a long row that is wider than any | of them |
| b | c |
Roses are red,
violets are blue.
` + "```" + `
code that is long enough to be broken, but is code all the same
stays
` + "```" + `
A line with two spaces at its end, which is a break of lines  
stays.
* Org headings are long enough to be taken for a list, and stay
* so`
	const want = `# A heading that is as long as a line of a paragraph is
Agents make mistakes at speed. Undoing must not depend on the user having git, or on having committed.

- an item that is long enough to be broken by an editor, and that goes on here
- another
1. a numbered item that is long enough to be broken by a tool
2. the next
| a table with a long row that is wider than any | of them |
| b | c |
Roses are red,
violets are blue.
` + "```" + `
code that is long enough to be broken, but is code all the same
stays
` + "```" + `
A line with two spaces at its end, which is a break of lines  
stays.
* Org headings are long enough to be taken for a list, and stay
* so`
	if got := strings.Join(flow(strings.Split(text, "\n")), "\n"); got != want {
		t.Errorf("got\n%s", got)
	}
	lines := strings.Split("Agents make mistakes at speed. Undoing must not depend on the\nuser.", "\n")
	var piped, shown Page
	piped.Prose(2, lines)
	shown.Width = 60
	shown.Prose(2, lines)
	if got := piped.String() + shown.String(); got != "  Agents make mistakes at speed. Undoing must not depend on the\n  user.\n"+
		"  Agents make mistakes at speed. Undoing must not depend on\n  the user.\n" {
		t.Errorf("got\n%s", got)
	}
}
