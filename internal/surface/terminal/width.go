package terminal

import (
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// narrow is the least that a column is cut to, in cells of the terminal. Where
// not even that fits, lines are longer than the terminal is wide.
const narrow = 8

const ellipsis = "…"

// fit returns how wide columns are that would like these widths and have this
// much room together: the widest give way first, as far as narrow.
func fit(widths []int, room int) []int {
	total := total(widths)
	out := append([]int(nil), widths...)
	for total > room {
		widest, next, n := 0, narrow, 0 // n columns are the widest; next is the second width
		for _, w := range out {
			switch {
			case w > widest:
				widest, next, n = w, max(widest, narrow), 1
			case w == widest:
				n++
			case w > next:
				next = w
			}
		}
		if widest <= narrow {
			break
		}
		less := min(widest-next, max((total-room)/n, 1))
		for i, w := range out {
			if w == widest && total > room {
				out[i] -= less
				total -= less
			}
		}
	}
	return out
}

// cut shortens text to a width in cells: its end goes, or of a path its front, so that
// it keeps its name.
func cut(text string, width int, path bool) string {
	all := ansi.StringWidth(text)
	switch {
	case all <= width:
		return text
	case !path || width < 3:
		return ansi.Truncate(text, width, ellipsis)
	}
	end := ansi.TruncateLeft(text, all-width+1, ellipsis)
	if ansi.StringWidth(end) > width { // a wide rune was in the way
		end = ansi.TruncateLeft(text, all-width+2, ellipsis)
	}
	return end
}

// CutPath shortens a path to a width in cells by taking away its front; 0 is as
// wide as it needs.
func CutPath(path string, width int) string {
	if width <= 0 {
		return path
	}
	return cut(path, width, true)
}

// wrap breaks text between words so that no line is wider than width, but for
// words that are. Each line begins with indent. No line ends in a hyphen: what
// follows one may be a flag or the rest of a path.
func wrap(text, indent string, width int) string {
	if width > 0 {
		const joined = "\uFDD0" // no character, and as wide
		text = ansi.Wordwrap(strings.ReplaceAll(text, "-", joined), max(width-len(indent), 20), "")
		text = strings.ReplaceAll(text, joined, "-")
	}
	return indent + strings.ReplaceAll(text, "\n", "\n"+indent)
}
