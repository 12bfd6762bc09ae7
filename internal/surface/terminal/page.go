package terminal

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/cairn-kb/cairn/internal/kb/safetext"
)

// Page collects output, so that it is written at once: a failed command prints
// nothing, and a pager gets no partial lines.
type Page struct {
	bytes.Buffer
	Style Style
	Width int // of the terminal in cells, 0 if not a terminal: nothing is cut or broken then
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

// Textf prints a paragraph as Linef prints a line: broken between words, each
// line indented by this many cells.
func (o *Page) Textf(indent int, format string, args ...any) {
	line := Page{}
	line.Linef(format, args...)
	o.WriteString(wrap(strings.TrimSuffix(line.String(), "\n"), strings.Repeat(" ", indent), o.Width) + "\n")
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
