package doc

import (
	"regexp"
	"strings"
)

// special begins a line that Org would read within a block.
var special = regexp.MustCompile(`(?m)^([ \t]*)(,*(?:\*|#\+))`)

// InExample is a text as it stands in a block of Org, which nothing in it ends: a comma
// stands before what Org would read.
func InExample(text string) string { return special.ReplaceAllString(text, "${1},${2}") }

// Fenced is a text as a code block of Markdown, whatever stands in it.
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
