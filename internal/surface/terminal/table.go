package terminal

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/cairn-kb/cairn/internal/kb/safetext"
)

// Table prints rows in columns under a heading. Cells are strings, which are
// cleaned, or Styled, or Name, or a time, which is never cut. On a page that has a width, the widest columns are
// cut so that the table fits.
type Table struct {
	head  []string
	rows  [][]Styled
	paths []int
	extra []int
	spare []int
	usual map[int]string
	names map[int][]Name // by column, those of the rows
	whole []int          // columns of times
}

// Name is a cell that somebody copies. Where the table is too wide, columns of
// names show the short ones, where there are some; names are never cut.
type Name struct{ Full, Short string }

// NewTable returns a table with these headings.
func NewTable(head ...string) *Table { return &Table{head: head} }

// Paths names columns, from 0 on, that are cut at the front.
func (t *Table) Paths(columns ...int) *Table {
	t.paths = columns
	return t
}

// Extra names columns, from 0 on, that are left out where no row has anything in them.
func (t *Table) Extra(columns ...int) *Table {
	t.extra = columns
	return t
}

// Spare names columns, from 0 on, that are left out one after another where the page is too
// narrow for all.
func (t *Table) Spare(columns ...int) *Table {
	t.spare = columns
	return t
}

// Usual names a column, from 0 on, that is left out where all rows have this in it.
func (t *Table) Usual(column int, text string) *Table {
	if t.usual == nil {
		t.usual = map[int]string{}
	}
	t.usual[column] = text
	return t
}

// shown are the columns that say something.
func (t *Table) shown() (out []int) {
	for i := range t.head {
		all := func(text string) bool {
			return !slices.ContainsFunc(t.rows, func(row []Styled) bool { return ansi.Strip(string(row[i])) != text })
		}
		usual, has := t.usual[i]
		if slices.Contains(t.extra, i) && all("") || has && all(usual) {
			continue
		}
		out = append(out, i)
	}
	return out
}

// Row adds a row with a cell for each column.
func (t *Table) Row(cells ...any) {
	row := make([]Styled, len(cells))
	for i, c := range cells {
		switch c := c.(type) {
		case Styled:
			row[i] = c
		case Name:
			row[i] = Styled(safetext.Line(c.Full))
			if t.names == nil {
				t.names = map[int][]Name{}
			}
			t.names[i] = append(t.names[i], c)
		case time.Time:
			row[i] = Styled(Moment(c))
			if !slices.Contains(t.whole, i) {
				t.whole = append(t.whole, i)
			}
		default:
			row[i] = Styled(safetext.Line(fmt.Sprint(c)))
		}
	}
	t.rows = append(t.rows, row)
}

// gutter separates columns.
const gutter = "  "

// Print writes the table; one without rows writes nothing.
func (t *Table) Print(o *Page) {
	if len(t.rows) == 0 {
		return
	}
	columns := t.shown()
	room := o.Width - len(gutter)*(len(columns)-1)
	width := t.widths(columns)
	if o.Width > 0 && total(width) > room {
		for i, names := range t.names {
			for n, name := range names {
				t.rows[n][i] = Styled(safetext.Line(cmp.Or(name.Short, name.Full)))
			}
		}
		width = t.widths(columns)
	}
	for _, spare := range t.spare {
		if at := slices.Index(columns, spare); at >= 0 && o.Width > 0 && t.least(columns, width) > room {
			columns, width = slices.Delete(columns, at, at+1), slices.Delete(width, at, at+1)
			room += len(gutter)
		}
	}
	if o.Width > 0 {
		width = t.fit(columns, width, room)
	}
	line := func(cell func(int) Styled, paths []int) {
		var b strings.Builder
		for at, i := range columns {
			text := cut(string(cell(i)), width[at], slices.Contains(paths, i))
			b.WriteString(text)
			if at < len(columns)-1 {
				b.WriteString(strings.Repeat(" ", width[at]-lipgloss.Width(text)) + gutter)
			}
		}
		o.WriteString(strings.TrimRight(b.String(), " ") + "\n")
	}
	line(func(i int) Styled { return o.Style.Aside(t.head[i]) }, nil)
	for _, row := range t.rows {
		line(func(i int) Styled { return row[i] }, t.paths)
	}
}

// widths are the widths that columns would like.
func (t *Table) widths(columns []int) []int {
	width := make([]int, len(columns))
	for at, i := range columns {
		width[at] = lipgloss.Width(t.head[i])
		for _, row := range t.rows {
			width[at] = max(width[at], lipgloss.Width(string(row[i])))
		}
	}
	return width
}

// fit returns widths with which columns have this much room together: those of names
// and times stay.
func (t *Table) fit(columns, width []int, room int) []int {
	out := slices.Clone(width)
	var others []int
	for at, i := range columns {
		if t.stays(i) {
			room -= width[at]
		} else {
			others = append(others, width[at])
		}
	}
	others = fit(others, room)
	for at, i := range columns {
		if !t.stays(i) {
			out[at], others = others[0], others[1:]
		}
	}
	return out
}

// least is how wide the columns are together when all that may be cut are.
func (t *Table) least(columns, width []int) (sum int) {
	for at, i := range columns {
		if t.stays(i) {
			sum += width[at]
		} else {
			sum += min(width[at], narrow)
		}
	}
	return sum
}

// stays reports whether a column is never cut.
func (t *Table) stays(column int) bool {
	return t.names[column] != nil || slices.Contains(t.whole, column)
}

func total(widths []int) (sum int) {
	for _, w := range widths {
		sum += w
	}
	return sum
}
