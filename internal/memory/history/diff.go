package history

import (
	"bytes"
	"unsafe"

	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/files/vault"
)

// State is a document with its sidecar, as one end of a diff. Text and Side are nil
// if absent.
type State struct {
	Path       string
	Text, Side []byte
}

// Diff returns the difference to another state as a unified diff with git's names:
// of the document, then of the sidecar if it changes.
func (s State) Diff(to State) string { return s.diff(to, contextLines) }

// ChangedLines is Diff without unchanged lines around the changed ones.
func (s State) ChangedLines(to State) string { return s.diff(to, 0) }

func (s State) diff(to State, context int) string {
	return s.eachDiff(to, func(from string, old []byte, to string, new []byte) string {
		return compared(from, old, to, new, context)
	})
}

// masked is Diff with the results of hide masked in the shown lines; see Hunks.
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

// eachDiff compares the documents, and the sidecars if they differ, with git's
// names.
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
	oldText, newText, skipped := changedPart(oldText, newText)
	return unified(from, asString(oldText), to, asString(newText), context, skipped)
}

// asString returns a text as a string without a copy of it: texts may have many megabytes. The
// text is not changed while the string is in use.
func asString(text []byte) string { return unsafe.String(unsafe.SliceData(text), len(text)) }

// largeDiff is the text size from which the equal lines at the beginning and end
// are not held as lines.
const largeDiff = 1 << 20

// changedPart returns the parts of two large texts that contain all changed lines,
// with the context lines around them, and the number of lines before these parts.
func changedPart(old, now []byte) (_, _ []byte, linesBefore int) {
	if len(old)+len(now) < 2*largeDiff {
		return old, now, 0
	}
	n := 0
	for n < min(len(old), len(now)) && old[n] == now[n] {
		n++
	}
	rest := 0
	for rest < min(len(old), len(now))-n && old[len(old)-1-rest] == now[len(now)-1-rest] {
		rest++
	}
	end := old[len(old)-rest:]
	for range contextLines + 1 {
		_, end, _ = bytes.Cut(end, []byte("\n"))
	}
	n = linesBack(old[:n], contextLines+1) // the last of them may be truncated
	return old[n : len(old)-len(end)], now[n : len(now)-len(end)], bytes.Count(old[:n], []byte("\n"))
}

// linesBack returns the offset of the last lines of a text, counting an unfinished
// one.
func linesBack(text []byte, lines int) int {
	for range lines {
		text = text[:bytes.LastIndexByte(text, '\n')+1]
		text = bytes.TrimSuffix(text, []byte("\n"))
	}
	if len(text) == 0 {
		return 0
	}
	return len(text) + 1
}
