package org

import (
	"bytes"

	"github.com/cairn-kb/cairn/internal/doc"
)

// markKind is the kind of a line that may start or end a structure.
type markKind uint8

const (
	headingMark markKind = iota
	beginMark            // #+begin_NAME
	endMark              // #+end_NAME
	drawerMark           // :NAME: on a line of its own
	drawerEnd            // :END:
)

// A mark is a line that may be part of the outline. Whether it is depends on later marks, so
// all are collected first.
type mark struct {
	kind markKind
	name string // of the block or drawer, lower case
	line doc.Span
	next int // begin: index of the next end of this name; -1 if there is none
	open int // begin: index of the next begin of this name; -1 if there is none
}

// collectMarks finds every mark of the text in one pass forward, and links begins to ends in
// one pass backward.
func collectMarks(text []byte) []mark {
	var marks []mark
	for pos := 0; pos < len(text); {
		end, next := lineEnd(text, pos)
		if m, ok := readMark(text[pos:end]); ok {
			m.line = doc.Span{Start: pos, End: next}
			marks = append(marks, m)
		}
		pos = next
	}
	joinMarks(marks)
	return marks
}

func readMark(line []byte) (mark, bool) {
	if stars(line) > 0 {
		return mark{kind: headingMark}, true
	}
	s := trimLeft(line)
	if len(s) < 2 {
		return mark{}, false
	}
	switch {
	case s[0] == '#' && s[1] == '+':
		if name := blockName(s[2:], "begin_"); name != "" {
			return mark{kind: beginMark, name: name}, true
		}
		if name := blockName(s[2:], "end_"); name != "" {
			return mark{kind: endMark, name: name}, true
		}
	case s[0] == ':':
		if name := drawerName(s); name == "end" {
			return mark{kind: drawerEnd}, true
		} else if name != "" {
			return mark{kind: drawerMark, name: name}, true
		}
	}
	return mark{}, false
}

// joinMarks fills next and open.
func joinMarks(marks []mark) {
	ends, begins := map[string]int{}, map[string]int{}
	for i := len(marks) - 1; i >= 0; i-- {
		m := &marks[i]
		switch m.kind {
		case beginMark:
			m.next, m.open = lookup(ends, m.name), lookup(begins, m.name)
			begins[m.name] = i
		case endMark:
			ends[m.name] = i
		}
	}
}

func lookup(index map[string]int, name string) int {
	if i, ok := index[name]; ok {
		return i
	}
	return -1
}

// stars returns the level of a heading line, 0 for any other line. Org requires a blank
// after the stars.
func stars(line []byte) int {
	n := 0
	for n < len(line) && line[n] == '*' {
		n++
	}
	if n == len(line) || line[n] != ' ' {
		return 0
	}
	return n
}

// maxName bounds the names of blocks and drawers, so that a line of megabytes is not a name.
const maxName = 100

// blockName returns the lower-case name after prefix, "" when s does not start
// with prefix and a name.
func blockName(s []byte, prefix string) string {
	if len(s) < len(prefix) || !bytes.EqualFold(s[:len(prefix)], []byte(prefix)) {
		return ""
	}
	s = s[len(prefix):]
	n := bytes.IndexAny(s, " \t")
	if n < 0 {
		n = len(s)
	}
	if n > maxName {
		return ""
	}
	return string(bytes.ToLower(s[:n]))
}

// drawerName returns the lower-case name of a drawer line without its
// indentation, "" when s is not one.
func drawerName(s []byte) string {
	s = bytes.TrimRight(s, " \t")
	if len(s) < 3 || len(s) > maxName || s[0] != ':' || s[len(s)-1] != ':' {
		return ""
	}
	s = s[1 : len(s)-1]
	for _, c := range s {
		if !(c == '-' || c == '_' || c >= 0x80 || isAlnum(c)) {
			return ""
		}
	}
	return string(bytes.ToLower(s))
}
