package doc

import (
	"bytes"
	"strings"

	"github.com/cairn-kb/cairn/internal/kb"
)

// Block returns the lines of the block within a span that bears an id, as "^id" at
// its end or on a line of its own after it, or as a line "id:: id" in it: a paragraph,
// or an item of a list.
// Without such a block it is kb.NotFound, with the ids that there are.
func Block(text []byte, within Span, id string) (Span, error) {
	var ids []string
	var last Span // the block before an empty line
	at, start := within.Start, within.Start
	for line := range bytes.Lines(text[within.Start:within.End]) {
		from := at
		at += len(line)
		trimmed := strings.TrimSpace(string(line))
		switch {
		case trimmed == "":
			if from > start {
				last = Span{start, from}
			}
			start = at
			continue
		case startsBlock(trimmed):
			start = from
		}
		words := strings.Fields(trimmed)
		mark, ok := strings.CutPrefix(words[len(words)-1], "^")
		if len(words) == 2 && words[0] == "id::" {
			if strings.EqualFold(words[1], id) {
				return Span{start, blockEnd(text, at, within.End)}, nil
			}
			mark, ok = words[1], true
		}
		if !ok || mark == "" {
			continue
		}
		if strings.EqualFold(mark, id) {
			if len(words) == 1 && start == from && last.Len() > 0 {
				start = last.Start
			}
			return Span{start, at}, nil
		}
		ids = append(ids, "^"+mark)
	}
	e := kb.Errorf(kb.NotFound, "there is no block ^%s", id)
	if len(ids) > 0 {
		e = e.WithHint("Blocks are %s.", listed(ids))
	}
	return Span{}, e
}

// blockEnd returns where the block ends that goes on from at.
func blockEnd(text []byte, at, end int) int {
	for line := range bytes.Lines(text[at:end]) {
		trimmed := strings.TrimSpace(string(line))
		if trimmed == "" || startsBlock(trimmed) || trimmed == "-" {
			break
		}
		at += len(line)
	}
	return at
}

// startsBlock reports whether a line begins a heading or an item of a list.
func startsBlock(line string) bool {
	mark, _, ok := strings.Cut(line, " ")
	return ok && (mark == "-" || mark == "*" || mark == "+" || strings.Trim(mark, "#") == "" ||
		strings.Trim(strings.TrimRight(mark, ".)"), "0123456789") == "")
}
