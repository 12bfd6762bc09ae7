package setup

import (
	"bytes"
	"slices"
)

// part is one thing of ours in a file. Its functions are pure: text in, text
// out. Errors do not name the file.
type part interface {
	// add puts the part in. Text that has it already is returned as it is, but
	// for the command line of what is ours, when another was asked for.
	add(text []byte) ([]byte, error)
	// drop takes out what is ours, and returns other text as it is. For any
	// text without the part, drop undoes add, but for containers that were
	// there and empty, and for text that was blank.
	drop(text []byte) ([]byte, error)
	// find says whose the part in text is, and returns it as it stands there,
	// with the command that it runs. Whether it is ours to the byte, adding
	// what is returned says.
	find(text []byte) (part, owner, error)
}

// owner says whose a part is that stands in a file.
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

// spliced returns text with splices in it, which stand in order and apart.
func spliced(text []byte, edits []splice) []byte {
	for _, e := range slices.Backward(edits) {
		text = insert(cut(text, e.start, e.end), e.start, e.text)
	}
	return text
}

// cutBlock removes lines that stand at the end of text behind one line end of
// their own. When others wrote more behind them, no lines are joined.
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
