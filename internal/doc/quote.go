package doc

import (
	"strings"

	"github.com/cairn-kb/cairn/internal/kb/lazyregexp"
)

// special matches the start of a line that Org would interpret within a block.
var special = lazyregexp.New(`(?m)^([ \t]*)(,*(?:\*|#\+))`)

// InExample escapes a text for an Org block so that nothing in it ends the block: a comma
// precedes characters that Org would interpret.
func InExample(text string) string { return special().ReplaceAllString(text, "${1},${2}") }

// Fenced returns any text as a Markdown code block.
func Fenced(language, text string) string {
	fence := strings.Repeat("`", max(3, 1+longestRun(text, '`')))
	return fence + language + "\n" + strings.TrimRight(text, "\r\n") + "\n" + fence + "\n"
}

// markup matches text in a line that a codec might interpret.
var markup = lazyregexp.New(`[\[\]#<>{}@%$^|\\~=]|\(\(|::|//|^\*+ |^[-+] `)

// Quoted returns a line in a form that reads back literally: text with markup becomes inline
// code, which contains no links, tags and facts.
func Quoted(format Format, line string) string {
	if !markup().MatchString(line) {
		return line
	}
	if format == Org {
		mark := "~"
		if strings.Contains(line, mark) {
			mark = "="
			line = strings.ReplaceAll(line, mark, "\u2E40") // the double hyphen: a mark cannot be escaped
		}
		return mark + line + mark
	}
	ticks := strings.Repeat("`", 1+longestRun(line, '`'))
	if strings.HasPrefix(line, "`") || strings.HasSuffix(line, "`") {
		line = " " + line + " "
	}
	return ticks + line + ticks
}

func longestRun(text string, of byte) (longest int) {
	run := 0
	for i := range len(text) {
		if text[i] == of {
			run++
			longest = max(longest, run)
		} else {
			run = 0
		}
	}
	return longest
}
