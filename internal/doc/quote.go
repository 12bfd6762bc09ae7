package doc

import (
	"strings"

	"github.com/cairn-kb/cairn/internal/kb/lazyregexp"
)

// special begins a line that Org would read within a block.
var special = lazyregexp.New(`(?m)^([ \t]*)(,*(?:\*|#\+))`)

// InExample escapes a text for an Org block so that nothing ends the block: a
// comma precedes characters that Org would interpret.
func InExample(text string) string { return special().ReplaceAllString(text, "${1},${2}") }

// Fenced returns any text as a Markdown code block.
func Fenced(language, text string) string {
	longest, run := 2, 0
	for _, c := range []byte(text) {
		if c == '`' {
			run++
			longest = max(longest, run)
		} else {
			run = 0
		}
	}
	fence := strings.Repeat("`", longest+1)
	return fence + language + "\n" + strings.TrimRight(text, "\r\n") + "\n" + fence + "\n"
}
