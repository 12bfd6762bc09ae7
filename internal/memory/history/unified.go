package history

import (
	"fmt"
	"strings"

	"github.com/aymanbagabas/go-udiff"
)

// contextLines is how many unchanged lines a diff shows around a change.
const contextLines = 3

// unified returns the shortest unified diff of two texts, "" when they are equal. As
// diff -u does, it shows a block that was added among equal lines as late as it can be.
func unified(from, old, to, now string) string {
	edits := udiff.Lines(old, now)
	if len(edits) == 0 {
		return ""
	}
	for i := range edits {
		limit := len(old)
		if i+1 < len(edits) {
			limit = edits[i+1].Start
		}
		edits[i] = late(old, edits[i], limit)
	}
	u, err := udiff.ToUnifiedDiff(from, to, old, edits, contextLines)
	if err != nil {
		panic(err) // the edits are those of the text
	}
	grown := 0 // the library counts the lines of the second text from the wrong place
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
	return fmt.Sprint(u)
}

// late moves lines that were only added, or only removed, below equal lines that follow
// them, up to a limit.
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
