package history

import (
	"bytes"

	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/files/vault"
)

// State is a document with its sidecar, as one end of a diff. Text and Side are nil
// where there is none.
type State struct {
	Path       string
	Text, Side []byte
}

// hidden is a state with its texts replaced where there are any.
func (s State) hidden(hide func([]byte) []byte) State {
	if s.Text != nil {
		s.Text = hide(s.Text)
	}
	if s.Side != nil {
		s.Side = hide(s.Side)
	}
	return s
}

// Diff shows what becomes of a state as a unified diff with git's names: of the
// document, then of the sidecar where that changes.
func (s State) Diff(to State) string { return s.diff(to, contextLines) }

// ChangedLines is Diff without unchanged lines around the changed ones.
func (s State) ChangedLines(to State) string { return s.diff(to, 0) }

func (s State) diff(to State, context int) string {
	out := diffOf(s.Path, s.Text, to.Path, to.Text, context)
	if !bytes.Equal(s.Side, to.Side) || (s.Side == nil) != (to.Side == nil) {
		out += diffOf(vault.SidecarPath(s.Path), s.Side, vault.SidecarPath(to.Path), to.Side, context)
	}
	return out
}

func diffOf(from string, old []byte, to string, new []byte, context int) string {
	from, to = "a/"+from, "b/"+to
	if old == nil {
		from = "/dev/null"
	}
	if new == nil {
		to = "/dev/null"
	}
	return compared(from, old, to, new, context)
}

// UnifiedDiff compares two texts by lines; text that is not UTF-8 is decoded
// first.
func UnifiedDiff(from string, old []byte, to string, new []byte) string {
	return compared(from, old, to, new, contextLines)
}

func compared(from string, old []byte, to string, new []byte, context int) string {
	oldText, _ := doc.Decode(old)
	newText, _ := doc.Decode(new)
	return unified(from, string(oldText), to, string(newText), context)
}
