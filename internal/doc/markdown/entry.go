package markdown

import (
	"strings"

	"github.com/cairn-kb/cairn/internal/doc"
)

// entryState is the open timeline entry. An entry is a list item, or a heading with all text
// under it; dated items within an entry are part of it. A heading that is only a date groups
// entries: if dated items follow it, they are the entries.
type entryState struct {
	index  int // into Entries, -1 when none is open
	depth  int // list item: number of containers that are open within it
	level  int // heading: its level, 0 for a list item
	detail int // start of the detail
}

// item starts an entry at the list item that has just been read.
func (e *entryState) item(s *scanner, first []byte) bool {
	if !e.free(s) {
		return false
	}
	x, ok := doc.ParseEntry(string(first))
	if !ok {
		return false
	}
	e.start(s, x, s.paraLine)
	e.depth, e.level = len(s.open), 0
	return true
}

// heading closes the entry that a heading ends and starts one there.
func (e *entryState) heading(s *scanner, level int, text string, line doc.Span) {
	if !s.lineFound {
		return
	}
	if e.index >= 0 && level <= e.level {
		e.close(s)
	}
	if !e.free(s) {
		return
	}
	if x, ok := doc.ParseEntry(text); ok {
		e.start(s, x, line)
		e.depth, e.level = 0, level
	}
}

// leave closes the entry if its list item is not among the first n containers.
func (e *entryState) leave(s *scanner, n int) {
	if e.index >= 0 && e.level == 0 && n < e.depth {
		e.close(s)
	}
}

// free reports whether an entry may start.
func (e *entryState) free(s *scanner) bool {
	return e.index < 0 || e.level > 0 && s.n.Entries[e.index].Text == ""
}

func (e *entryState) start(s *scanner, x doc.Entry, line doc.Span) {
	if e.index >= 0 {
		s.n.Entries = s.n.Entries[:e.index]
	}
	x.Span.Start = line.Start
	e.index, e.detail = len(s.n.Entries), line.End
	s.n.Entries = append(s.n.Entries, x)
}

// close ends the open entry after the last line that was not blank.
func (e *entryState) close(s *scanner) {
	if e.index < 0 {
		return
	}
	x := &s.n.Entries[e.index]
	x.Span.End = max(s.tailEnd, e.detail)
	x.Detail = dedent(string(s.text[e.detail:x.Span.End]))
	e.index = -1
}

// dedent removes the common indentation of all lines.
func dedent(text string) string {
	if strings.TrimSpace(text) == "" {
		return ""
	}
	indent := -1
	for line := range strings.Lines(text) {
		rest := strings.TrimLeft(line, " \t")
		if strings.TrimSpace(rest) == "" {
			continue
		}
		if n := len(line) - len(rest); indent < 0 || n < indent {
			indent = n
		}
	}
	var b strings.Builder
	for line := range strings.Lines(text) {
		if strings.TrimSpace(line) != "" {
			b.WriteString(strings.TrimRight(line[indent:], " \t\r\n"))
		}
		b.WriteByte('\n')
	}
	return strings.Trim(b.String(), "\n")
}
