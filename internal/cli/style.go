package cli

import (
	"strings"

	"charm.land/lipgloss/v2"
)

// styled is text that has been cleaned and may hold our own colours. Only the
// methods of style make it.
type styled string

// style draws text, or leaves it plain.
type style struct{ on bool }

// style returns how this run draws: in colour on a terminal that wants it.
func (p *program) style(f format) style {
	return style{on: f == formatHuman && p.env.StdoutTTY && !p.flags.noColor &&
		p.env.Getenv("NO_COLOR") == "" && p.env.Getenv("TERM") != "dumb"}
}

var (
	bold   = lipgloss.NewStyle().Bold(true)
	faint  = lipgloss.NewStyle().Faint(true)
	green  = lipgloss.NewStyle().Foreground(lipgloss.Green)
	red    = lipgloss.NewStyle().Foreground(lipgloss.Red)
	yellow = lipgloss.NewStyle().Foreground(lipgloss.Yellow)
)

func (s style) draw(look lipgloss.Style, text string) styled {
	text = cleanLine(text)
	if !s.on || text == "" {
		return styled(text)
	}
	return styled(look.Render(text))
}

func (s style) title(text string) styled { return s.draw(bold, text) }
func (s style) aside(text string) styled { return s.draw(faint, text) }
func (s style) good(text string) styled  { return s.draw(green, text) }
func (s style) bad(text string) styled   { return s.draw(red, text) }
func (s style) warn(text string) styled  { return s.draw(yellow, text) }

// marked draws text with the byte ranges that matched in bold, or between
// « and » where there is no bold. Lines are joined.
func (s style) marked(text string, marks [][2]int) styled {
	var b strings.Builder
	at := 0
	piece := func(to int) string {
		from := at
		at = to
		return cleanLine(text[from:to])
	}
	for _, m := range marks {
		if m[0] < at || m[1] > len(text) || m[0] >= m[1] {
			continue // a mark that does not fit is not worth a panic
		}
		b.WriteString(piece(m[0]))
		if match := piece(m[1]); s.on {
			b.WriteString(bold.Render(match))
		} else {
			b.WriteString("«" + match + "»")
		}
	}
	b.WriteString(piece(len(text)))
	return styled(strings.Join(strings.Fields(b.String()), " "))
}

// diff prints a unified diff, with colours by line.
func (o *page) diff(text string) {
	for line := range strings.Lines(text) {
		line = cleanLine(strings.TrimSuffix(line, "\n"))
		switch {
		case strings.HasPrefix(line, "+++"), strings.HasPrefix(line, "---"), strings.HasPrefix(line, "@@"):
			o.linef("%s", o.style.aside(line))
		case strings.HasPrefix(line, "+"):
			o.linef("%s", o.style.good(line))
		case strings.HasPrefix(line, "-"):
			o.linef("%s", o.style.bad(line))
		default:
			o.linef("%s", line)
		}
	}
}
