package org

import "strings"

// verbatim finds =text= and ~text~, which contain no links. The positions of calls must
// ascend.
type verbatim struct {
	s       string
	lines   [2]int // the next two line ends at or after the last position
	closing [2]int // for '=' and '~': the last closing mark found
}

func newVerbatim(s string) verbatim { return verbatim{s: s, lines: [2]int{-1, -1}} }

// end returns the end of the verbatim text that opens at i, 0 if there is none. As in Org it
// may include one line end.
func (v *verbatim) end(i int) int {
	if i > 0 && strings.IndexByte(" \t\r\n-({'\"", v.s[i-1]) < 0 || i+2 >= len(v.s) || isSpace(v.s[i+1]) {
		return 0
	}
	limit := v.limit(i)
	at := &v.closing[0]
	if v.s[i] == '~' {
		at = &v.closing[1]
	}
	for *at = max(*at, i+2); *at < limit; *at++ {
		if v.s[*at] == v.s[i] && !isSpace(v.s[*at-1]) && v.closes(*at+1) {
			return *at + 1
		}
	}
	return 0
}

// closes reports whether the character at i may follow a closing mark.
func (v *verbatim) closes(i int) bool {
	return i == len(v.s) || strings.IndexByte(" \t\r\n-.,;:!?'\")}\\[", v.s[i]) >= 0
}

// limit returns the second line end after i, or the end.
func (v *verbatim) limit(i int) int {
	for v.lines[0] < i {
		if v.lines[1] < 0 {
			v.lines[0] = v.after(i)
		} else {
			v.lines[0] = v.lines[1]
		}
		v.lines[1] = v.after(v.lines[0] + 1)
	}
	return v.lines[1]
}

func (v *verbatim) after(i int) int {
	if i >= len(v.s) {
		return len(v.s)
	}
	if n := strings.IndexByte(v.s[i:], '\n'); n >= 0 {
		return i + n
	}
	return len(v.s)
}

func isSpace(c byte) bool { return c == ' ' || c == '\t' || c == '\r' || c == '\n' }
