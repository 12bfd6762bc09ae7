package history

import (
	"bytes"

	"github.com/rogpeppe/go-internal/diff"

	"github.com/cairn-kb/cairn/internal/doc"
)

// UnifiedDiff compares two texts by lines; text that is not UTF-8 is decoded
// first.
func UnifiedDiff(from string, old []byte, to string, new []byte) string {
	oldText, _ := doc.Decode(old)
	newText, _ := doc.Decode(new)
	out := diff.Diff(from, oldText, to, newText)
	// The library starts with a line of its own for its "diff" command.
	if _, rest, ok := bytes.Cut(out, []byte("\n")); ok && bytes.HasPrefix(out, []byte("diff ")) {
		out = rest
	}
	return string(out)
}
