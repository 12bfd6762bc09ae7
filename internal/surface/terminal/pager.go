package terminal

import (
	"bytes"
	"cmp"
	"os/exec"

	"github.com/charmbracelet/x/ansi"
)

// Window is how large a terminal is, in cells; zeros where that is not known.
type Window struct{ Columns, Rows int }

// Holds reports whether text can be seen at once, with a line left for the
// prompt. A window of unknown size holds everything.
func (w Window) Holds(text []byte) bool {
	if w.Columns <= 0 || w.Rows <= 0 {
		return true
	}
	rows := 0
	for line := range bytes.Lines(text) {
		rows += 1 + max(ansi.StringWidth(string(bytes.TrimRight(line, "\n")))-1, 0)/w.Columns
		if rows >= w.Rows {
			return false
		}
	}
	return true
}

// Pager returns the command line of the pager that is wanted: the first of the
// given ones that is not empty, else less, where there is one. It is "" when
// that is cat, which is how people say that they want none.
func Pager(wanted ...string) string {
	pager := cmp.Or(wanted...)
	if pager == "" {
		pager = "less"
		if _, err := exec.LookPath(pager); err != nil {
			return ""
		}
	}
	if pager == "cat" {
		return ""
	}
	return pager
}
