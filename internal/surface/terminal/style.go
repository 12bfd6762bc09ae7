package terminal

import (
	"net/url"
	"path/filepath"
	"strings"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/cairn-kb/cairn/internal/kb/safetext"
)

// Styled is text that has been cleaned and may hold our own colours. Only the
// methods of Style make it.
type Styled string

// Style draws text, or leaves it plain.
type Style struct {
	On bool // whether it is drawn at all
}

var (
	bold   = lipgloss.NewStyle().Bold(true)
	faint  = lipgloss.NewStyle().Faint(true)
	green  = lipgloss.NewStyle().Foreground(lipgloss.Green)
	red    = lipgloss.NewStyle().Foreground(lipgloss.Red)
	yellow = lipgloss.NewStyle().Foreground(lipgloss.Yellow)
)

func (s Style) draw(look lipgloss.Style, text string) Styled {
	text = safetext.Line(text)
	if !s.On || text == "" {
		return Styled(text)
	}
	return Styled(look.Render(text))
}

// Title draws what a record is called, in bold.
func (s Style) Title(text string) Styled { return s.draw(bold, text) }

// Aside draws secondary text, faintly.
func (s Style) Aside(text string) Styled { return s.draw(faint, text) }

// Good draws what went well, or was added.
func (s Style) Good(text string) Styled { return s.draw(green, text) }

// Bad draws errors and removed text.
func (s Style) Bad(text string) Styled { return s.draw(red, text) }

// Warn draws what somebody should look at.
func (s Style) Warn(text string) Styled { return s.draw(yellow, text) }

// Link draws text as a link to a file, which terminals open on a click (OSC 8). The path is
// absolute.
func (s Style) Link(text Styled, file string) Styled {
	if !s.On || file == "" {
		return text
	}
	path := filepath.ToSlash(file)
	if !strings.HasPrefix(path, "/") {
		path = "/" + path // C:/…
	}
	to := url.URL{Scheme: "file", Path: path}
	return Styled(ansi.SetHyperlink(to.String())) + text + Styled(ansi.ResetHyperlink())
}

// Marked draws text with the byte ranges that matched in bold, or between
// « and » where there is no bold. Lines are joined.
func (s Style) Marked(text string, marks [][2]int) Styled {
	var b strings.Builder
	at := 0
	piece := func(to int) string {
		from := at
		at = to
		return safetext.Line(text[from:to])
	}
	for _, m := range marks {
		if m[0] < at || m[1] > len(text) || m[0] >= m[1] {
			continue // a mark that does not fit is not worth a panic
		}
		b.WriteString(piece(m[0]))
		if match := piece(m[1]); s.On {
			b.WriteString(bold.Render(match))
		} else {
			b.WriteString("«" + match + "»")
		}
	}
	b.WriteString(piece(len(text)))
	return Styled(strings.Join(strings.Fields(b.String()), " "))
}
