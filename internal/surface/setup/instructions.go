package setup

import (
	"bytes"
	"cmp"
	"strings"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/surface/operation"
	"github.com/cairn-kb/cairn/internal/surface/skills"

	"github.com/cairn-kb/cairn/internal/kb/lazyregexp"
)

// instructions are lines for the agent, between markers in a Markdown file.
// says is their text; "" is that for a client with the core tools.
type instructions struct{ says string }

const (
	beginMark = "<!-- cairn:begin -->"
	endMark   = "<!-- cairn:end -->"
)

// The markers are lines of their own. The hash of the original text between
// them distinguishes text that a person edited from text of an older cairn.
var (
	beginLine = lazyregexp.New(`(?m)^(?:\x{feff})?(<!-- cairn:begin(?: [0-9a-f]{12})? -->)[ \t]*\r?$`)
	endLine   = lazyregexp.New(`(?m)^(<!-- cairn:end -->)[ \t]*\r?$`)
	// A line that resembles one of them, but is not.
	almostBegin = lazyregexp.New(`(?m)^[^\S\n]*<!--\s*cairn:begin[^\n]*`)
	almostEnd   = lazyregexp.New(`(?m)^[^\S\n]*<!--\s*cairn:end[^\n]*`)
)

// block is the text in the file.
func (i instructions) block() string {
	says := cmp.Or(i.says, operation.Guide(nil))
	return "<!-- cairn:begin " + skills.Hash([]byte(says)) + " -->\n" + says + endMark + "\n"
}

func (i instructions) add(text []byte) ([]byte, error) {
	start, end, err := marks(text)
	if err != nil {
		return nil, err
	}
	block := i.block()
	if start >= 0 {
		if plain(text[start:end]) == block {
			return text, nil
		}
		block = strings.ReplaceAll(strings.TrimSuffix(block, "\n"), "\n", lineEnd(text))
		return insert(cut(text, start, end), start, block+endOf(text[start:end])), nil
	}
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
	start, end, err := marks(text)
	if err != nil || start < 0 {
		return i, nobody, err
	}
	block := plain(text[start:end])
	_, says, _ := strings.Cut(block, "\n")
	if older := (instructions{strings.TrimSuffix(says, endMark+"\n")}); older.block() == block {
		return older, ours, nil
	}
	return instructions{}, ours, nil
}

// plain is a block with the line ends that cairn writes by itself.
func plain(block []byte) string {
	return strings.TrimSuffix(strings.ReplaceAll(string(block), "\r\n", "\n"), "\n") + "\n"
}

// marks returns the span of our lines with their last line end; -1 when there
// are none.
func marks(text []byte) (start, end int, err error) {
	first, last := beginLine().FindSubmatchIndex(text), endLine().FindSubmatchIndex(text)
	if first == nil && last == nil {
		return -1, -1, nil
	}
	if first == nil || last == nil || last[2] < first[2] {
		return 0, 0, unpaired(text, first != nil, last != nil)
	}
	start, end = first[2], last[1]
	for _, eol := range []string{"\r\n", "\n"} {
		if bytes.HasPrefix(text[end:], []byte(eol)) {
			end += len(eol)
			break
		}
	}
	return start, end, nil
}

// unpaired describes a fault of markers that are single or in the wrong order.
func unpaired(text []byte, begins, ends bool) error {
	if begins && ends {
		return kb.Errorf(kb.Invalid, "the line %s comes before the line %s", endMark, beginMark).
			WithHint("Put them in order, or remove both.")
	}
	missing, almost := beginMark, almostBegin
	if begins {
		missing, almost = endMark, almostEnd
	}
	if at := almost().FindIndex(text); at != nil {
		line := 1 + bytes.Count(text[:at[0]], []byte("\n"))
		return kb.Errorf(kb.Invalid, "line %d is not as cairn writes it: %s", line, bytes.TrimSpace(text[at[0]:at[1]])).
			WithHint("Make it %s, on a line of its own, or remove both markers.", missing)
	}
	return kb.Errorf(kb.Invalid, "the line %s is missing", missing).WithHint("Put it back, or remove the other marker.")
}
