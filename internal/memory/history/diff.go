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

// Diff shows what becomes of a state as a unified diff with git's names: of the
// document, then of the sidecar where that changes.
func (s State) Diff(to State) string { return s.diff(to, contextLines) }

// ChangedLines is Diff without unchanged lines around the changed ones.
func (s State) ChangedLines(to State) string { return s.diff(to, 0) }

func (s State) diff(to State, context int) string {
	return s.eachDiff(to, func(from string, old []byte, to string, new []byte) string {
		return compared(from, old, to, new, context)
	})
}

// masked is Diff with what hide replaces masked in the shown lines; see Hunks.
func (s State) masked(to State, hide func([]byte) []byte) string {
	return s.eachDiff(to, func(from string, old []byte, to string, new []byte) string {
		hunks := Hunks(old, new, hide)
		if len(hunks) == 0 {
			return ""
		}
		out := "--- " + from + "\n+++ " + to + "\n"
		for _, h := range hunks {
			out += h.Diff
		}
		return out
	})
}

// eachDiff compares the documents, and the sidecars where they differ, with git's names.
func (s State) eachDiff(to State, compare func(from string, old []byte, to string, new []byte) string) string {
	named := func(from string, old []byte, to string, new []byte) string {
		from, to = "a/"+from, "b/"+to
		if old == nil {
			from = "/dev/null"
		}
		if new == nil {
			to = "/dev/null"
		}
		return compare(from, old, to, new)
	}
	out := named(s.Path, s.Text, to.Path, to.Text)
	if !bytes.Equal(s.Side, to.Side) || (s.Side == nil) != (to.Side == nil) {
		out += named(vault.SidecarPath(s.Path), s.Side, vault.SidecarPath(to.Path), to.Side)
	}
	return out
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
