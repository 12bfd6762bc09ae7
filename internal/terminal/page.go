package terminal

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/cairn-kb/cairn/internal/safetext"
)

// Page collects what is printed, so that it leaves in one write: a failed
// command prints nothing, and a pager sees no half lines.
type Page struct {
	bytes.Buffer
	Style Style
}

// Linef prints a line of our own text and of arguments, cleaned.
func (o *Page) Linef(format string, args ...any) {
	for i, a := range args {
		switch s := a.(type) {
		case string:
			args[i] = safetext.Line(s)
		case Styled:
			args[i] = string(s)
		}
	}
	fmt.Fprintf(o, format+"\n", args...)
}

// Diff prints a unified diff, with colours by line.
func (o *Page) Diff(text string) {
	for line := range strings.Lines(text) {
		line = safetext.Line(strings.TrimSuffix(line, "\n"))
		switch {
		case strings.HasPrefix(line, "+++"), strings.HasPrefix(line, "---"), strings.HasPrefix(line, "@@"):
			o.Linef("%s", o.Style.Aside(line))
		case strings.HasPrefix(line, "+"):
			o.Linef("%s", o.Style.Good(line))
		case strings.HasPrefix(line, "-"):
			o.Linef("%s", o.Style.Bad(line))
		default:
			o.Linef("%s", line)
		}
	}
}
