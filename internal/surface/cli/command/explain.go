package command

import (
	"fmt"
	"strings"

	"github.com/cairn-kb/cairn/internal/api"
)

// Hit says line by line what a hit was ranked by; without --explain,
// nothing. docs/search.md says how to read it.
func Hit(w api.Why) []string {
	if w.Words == nil && w.Meaning == nil && w.Passage == nil {
		return nil
	}
	var lines []string
	add := func(what, format string, args ...any) {
		lines = append(lines, fmt.Sprintf("%-8s", what)+fmt.Sprintf(format, args...))
	}
	if w.Exact != "" {
		add("named", "the query is its %s", w.Exact)
	}
	if e := w.Words; e != nil {
		add("words", "%s; %s in %s", place(e), strings.Join(w.Terms, ", "), strings.Join(w.Fields, ", "))
	}
	if n := w.Near; n != nil {
		add("near", "%s; %.3f of the score", strings.Join(n.Words, ", "), n.Score)
	}
	if e := w.Meaning; e != nil {
		add("meaning", "%s", place(e))
	}
	if n := w.Names; n != nil {
		add("names", "%s; adds %.3f", strings.Join(n.Names, ", "), n.Share)
	}
	if t := w.Type; t != nil {
		add("type", "%s; adds %.3f", t.Type, t.Share)
	}
	if t := w.Time; t != nil {
		add("time", "of %s; adds %.3f", t.Day, t.Share)
	}
	if l := w.Beside; l != nil {
		add("beside", "%s, score %.3f, adds %.3f", l.Ref, l.Score, l.Share)
	}
	if l := w.Whole; l != nil {
		add("whole", "%s, score %.3f, adds %.3f", l.Ref, l.Score, l.Share)
	}
	if s := w.Passage; s != nil {
		var parts []string
		if s.Heading != "" {
			parts = append(parts, s.Heading)
		}
		parts = append(parts, fmt.Sprintf("lines %d to %d", s.Lines[0], s.Lines[1]))
		if s.Date != "" {
			parts = append(parts, s.Date)
		}
		add("passage", "%s", strings.Join(parts, ", "))
	}
	return lines
}

// place is a hit's place in one list: rank, score there, and what that gave to
// the whole score.
func place(e *api.Evidence) string {
	text := fmt.Sprintf("rank %d, score %.3f", e.Rank, e.Score)
	if e.Share > 0 {
		text += fmt.Sprintf(", adds %.3f", e.Share)
	}
	return text
}
