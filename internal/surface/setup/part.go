package setup

import (
	"bytes"
	"slices"
)

// part is one thing of ours in a file. Its functions are pure: text in, text
// out. Errors do not name the file.
type part interface {
	// add puts the part in. Text that has it already is returned unchanged,
	// except for our command line when another was requested.
	add(text []byte) ([]byte, error)
	// drop takes out our part, and returns other text unchanged. For any text
	// without the part, drop undoes add, except for empty containers and blank
	// text.
	drop(text []byte) ([]byte, error)
	// find returns the owner of the part in text, and the part with the command
	// that it runs. It is ours byte for byte if adding the returned part changes
	// nothing.
	find(text []byte) (part, owner, error)
}

// owner is the owner of a part in a file.
type owner int

const (
	nobody owner = iota // it is not there
	ours                // it says no more and no less than add writes, or wrote
	byHand              // it runs cairn, but somebody wrote or changed it
	theirs              // it has the name of ours, and runs something else
)

// lineEnd returns how lines of text end.
func lineEnd(text []byte) string {
	if i := bytes.IndexByte(text, '\n'); i > 0 && text[i-1] == '\r' {
		return "\r\n"
	}
	return "\n"
}

var bom = []byte("\ufeff")

// cut returns text without the bytes from start to end.
func cut(text []byte, start, end int) []byte {
	return append(bytes.Clone(text[:start]), text[end:]...)
}

// insert returns text with more at a position.
func insert(text []byte, at int, more string) []byte {
	out := append(bytes.Clone(text[:at]), more...)
	return append(out, text[at:]...)
}

// splice is what takes the place of a span of text.
type splice struct {
	start, end int
	text       string
}

// spliced returns text with the splices applied, which are sorted and do not
// overlap.
func spliced(text []byte, edits []splice) []byte {
	for _, e := range slices.Backward(edits) {
		text = insert(cut(text, e.start, e.end), e.start, e.text)
	}
	return text
}

// cutBlock removes lines at the end of text, with the line end that precedes
// them. If other text follows, no lines are joined.
func cutBlock(text []byte, start, end int) []byte {
	before := text[:start-len(endOf(text[:start]))]
	if end == len(text) || endOf(before) != "" {
		start = len(before)
	}
	return cut(text, start, end)
}

// endOf returns the line end that text ends with.
func endOf(text []byte) string {
	switch {
	case bytes.HasSuffix(text, []byte("\r\n")):
		return "\r\n"
	case bytes.HasSuffix(text, []byte("\n")):
		return "\n"
	}
	return ""
}
