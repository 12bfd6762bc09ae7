package history

import (
	"fmt"
	"strings"

	"github.com/aymanbagabas/go-udiff"
	"github.com/sergi/go-diff/diffmatchpatch"
)

// contextLines is the number of unchanged lines around a change in a diff.
const contextLines = 3

// unified returns the shortest unified diff of two texts after a number of equal
// lines, "" when they are equal.
func unified(from, old, to, now string, context, skipped int) string {
	edits := shownEdits(old, now)
	if len(edits) == 0 {
		return ""
	}
	u := hunksOf(from, old, to, edits, context)
	for _, h := range u.Hunks {
		h.FromLine, h.ToLine = h.FromLine+skipped, h.ToLine+skipped
	}
	var out strings.Builder
	size := len(from) + len(to) + 2*len("--- \n")
	for _, h := range u.Hunks {
		size += sizeOf(h)
	}
	out.Grow(size)
	fmt.Fprintf(&out, "--- %s\n+++ %s\n", from, to)
	for _, h := range u.Hunks {
		writeHunk(&out, h)
	}
	return out.String()
}

// noNewline follows a line that ends a text without a line end.
const noNewline = "\n\\ No newline at end of file\n"

// sizeOf returns how many bytes a part of a unified diff has at most.
func sizeOf(h *udiff.Hunk) int {
	size := 64 + len(h.Lines)
	for _, l := range h.Lines {
		size += len(l.Content)
	}
	return size + 2*len(noNewline)
}

// writeHunk writes a part of a unified diff. It may have one line of many megabytes.
func writeHunk(out *strings.Builder, h *udiff.Hunk) {
	var before, after int
	for _, l := range h.Lines {
		switch l.Kind {
		case udiff.Delete:
			before++
		case udiff.Insert:
			after++
		default:
			before++
			after++
		}
	}
	out.WriteString("@@")
	for _, side := range []struct {
		sign        byte
		line, lines int
	}{{'-', h.FromLine, before}, {'+', h.ToLine, after}} {
		switch {
		case side.lines > 1:
			fmt.Fprintf(out, " %c%d,%d", side.sign, side.line, side.lines)
		case side.line == 1 && side.lines == 0: // an empty text has no line 1
			fmt.Fprintf(out, " %c0,0", side.sign)
		default:
			fmt.Fprintf(out, " %c%d", side.sign, side.line)
		}
	}
	out.WriteString(" @@\n")
	for _, l := range h.Lines {
		switch l.Kind {
		case udiff.Delete:
			out.WriteByte('-')
		case udiff.Insert:
			out.WriteByte('+')
		default:
			out.WriteByte(' ')
		}
		out.WriteString(l.Content)
		if !strings.HasSuffix(l.Content, "\n") {
			out.WriteString(noNewline)
		}
	}
}

// shownEdits returns the changes of lines for display. Like diff -u, it shows a
// block added between equal lines as late as possible.
func shownEdits(old, now string) []udiff.Edit {
	edits := lineEdits(old, now)
	for i := range edits {
		limit := len(old)
		if i+1 < len(edits) {
			limit = edits[i+1].Start
		}
		edits[i] = late(old, edits[i], limit)
	}
	return edits
}

// hunksOf groups changes of lines into the parts of a unified diff.
func hunksOf(from, old, to string, edits []udiff.Edit, context int) udiff.UnifiedDiff {
	u, err := udiff.ToUnifiedDiff(from, to, old, edits, context)
	if err != nil {
		panic(err) // the edits are those of the text
	}
	grown := 0 // the library miscounts the line numbers of the second text
	for _, h := range u.Hunks {
		h.ToLine = h.FromLine + grown
		for _, l := range h.Lines {
			switch l.Kind {
			case udiff.Insert:
				grown++
			case udiff.Delete:
				grown--
			}
		}
	}
	return u
}

const (
	surelyLeast = 100    // changed lines up to which udiff finds the minimum
	maxLines    = 20_000 // of both texts, up to which the minimum is always computed
)

// lineEdits returns a minimal list of line changes from old to now. Equal lines at
// the beginning and end of large texts are not held one by one.
func lineEdits(old, now string) []udiff.Edit {
	if len(old)+len(now) < 2*largeDiff {
		return leastEdits(old, now)
	}
	start, rest := equalLines(old, now)
	old, now = old[start:len(old)-rest], now[start:len(now)-rest]
	switch {
	case old == now:
		return nil
	case old == "" || now == "":
		return []udiff.Edit{{Start: start, End: start + len(old), New: now}}
	}
	edits := leastEdits(old, now)
	for i := range edits {
		edits[i].Start, edits[i].End = edits[i].Start+start, edits[i].End+start
	}
	return edits
}

// equalLines returns the lengths of the common whole lines at the beginning and end
// of two texts.
func equalLines(a, b string) (start, rest int) {
	for start < min(len(a), len(b)) && a[start] == b[start] {
		start++
	}
	if start < max(len(a), len(b)) {
		start = strings.LastIndexByte(a[:start], '\n') + 1
	}
	for rest < min(len(a), len(b))-start && a[len(a)-1-rest] == b[len(b)-1-rest] {
		rest++
	}
	tail := a[len(a)-rest:]
	for _, s := range []string{a, b} {
		if at := len(s) - rest; at > start && s[at-1] != '\n' {
			_, tail, _ = strings.Cut(tail, "\n") // it begins within a line
			return start, len(tail)
		}
	}
	return start, rest
}

// leastEdits is lineEdits for texts small enough to be held as lines.
func leastEdits(old, now string) []udiff.Edit {
	edits := udiff.Lines(old, now)
	changed := 0
	for _, e := range edits {
		changed += strings.Count(old[e.Start:e.End], "\n") + strings.Count(e.New, "\n")
	}
	if changed <= surelyLeast || strings.Count(old, "\n")+strings.Count(now, "\n") > maxLines {
		return edits
	}
	numbers, lines := map[string]rune{}, []string{}
	numbered := func(text string) (out []rune) {
		for line := range strings.Lines(text) {
			n, ok := numbers[line]
			if !ok {
				n = rune(len(lines)) // below the surrogates, which texts do not contain
				numbers[line], lines = n, append(lines, line)
			}
			out = append(out, n)
		}
		return out
	}
	dmp := diffmatchpatch.New()
	dmp.DiffTimeout = 0 // deterministic on every machine
	from, to := numbered(old), numbered(now)
	edits, at := nil, 0
	for _, d := range dmp.DiffMainRunes(from, to, false) {
		var text strings.Builder
		for _, n := range d.Text {
			text.WriteString(lines[n])
		}
		last := len(edits) - 1
		if d.Type != diffmatchpatch.DiffEqual && (last < 0 || edits[last].End != at) {
			edits = append(edits, udiff.Edit{Start: at, End: at})
			last++
		}
		switch d.Type {
		case diffmatchpatch.DiffInsert:
			edits[last].New += text.String()
			continue
		case diffmatchpatch.DiffDelete:
			edits[last].End += text.Len()
		}
		at += text.Len()
	}
	return edits
}

// late moves lines that were only added, or only removed, below the equal lines
// after them, up to a limit.
func late(old string, e udiff.Edit, limit int) udiff.Edit {
	for e.Start == e.End || e.New == "" {
		block := e.New
		if block == "" {
			block = old[e.Start:e.End]
		}
		line := block[:strings.IndexByte(block, '\n')+1]
		if line == "" || !strings.HasSuffix(block, "\n") || e.End+len(line) > limit || !strings.HasPrefix(old[e.End:], line) {
			break
		}
		if e.New != "" {
			e.New = e.New[len(line):] + line
		}
		e.Start, e.End = e.Start+len(line), e.End+len(line)
	}
	return e
}
