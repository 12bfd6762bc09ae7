package setup

import (
	"bytes"
	"strings"

	"github.com/cairn-kb/cairn/internal/kb"
)

// instructions are lines for the agent, between markers in a Markdown file.
type instructions struct{}

const (
	beginMark = "<!-- cairn:begin -->"
	endMark   = "<!-- cairn:end -->"
)

const lines = beginMark + `
## Memory: cairn

This machine has a memory that outlives the session. Use it through the cairn
tools, or through the command line: ` + "`cairn --help`" + `.

- Before you ask or guess, look: ` + "`recall`" + `, or ` + "`cairn query \"words\"`" + ` and ` + "`cairn get REF`" + `.
- When you learn what the next session needs (a decision, a cause, a preference),
  write it down: ` + "`remember`" + `, or ` + "`cairn capture \"TEXT\"`" + `; or add to the page that
  is there: ` + "`edit`" + `, or ` + "`cairn edit REF --append \"TEXT\"`" + `.
- One subject a page, with its date and where it comes from. Never write secrets.
` + endMark + "\n"

func (instructions) add(text []byte) ([]byte, error) {
	start, _, err := marks(text)
	if err != nil || start >= 0 {
		return text, err
	}
	block := lines
	if len(bytes.TrimPrefix(text, bom)) > 0 {
		// One line end, whether or not the last line has one: drop takes one.
		block = "\n" + block
	}
	return append(bytes.Clone(text), strings.ReplaceAll(block, "\n", lineEnd(text))...), nil
}

func (instructions) drop(text []byte) ([]byte, error) {
	start, end, err := marks(text)
	if err != nil || start < 0 {
		return text, err
	}
	return cutBlock(text, start, end), nil
}

func (i instructions) find(text []byte) (part, owner, error) {
	start, _, err := marks(text)
	if err != nil || start < 0 {
		return i, nobody, err
	}
	return i, ours, nil
}

func (instructions) blank(text []byte) bool { return table{}.blank(text) }

// marks returns the span of our lines with their last line end; -1 when there
// are none.
func marks(text []byte) (start, end int, err error) {
	start, end = bytes.Index(text, []byte(beginMark)), bytes.Index(text, []byte(endMark))
	if start < 0 && end < 0 {
		return -1, -1, nil
	}
	if start < 0 || end < start {
		return 0, 0, kb.Errorf(kb.Invalid, "one of the lines %s and %s is missing", beginMark, endMark).
			WithHint("Put it back, or remove the other.")
	}
	end += len(endMark)
	for _, eol := range []string{"\r\n", "\n"} {
		if bytes.HasPrefix(text[end:], []byte(eol)) {
			end += len(eol)
			break
		}
	}
	return start, end, nil
}
