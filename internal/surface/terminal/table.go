package terminal

import (
	"fmt"
	"slices"
	"strings"

	"charm.land/lipgloss/v2"

	"github.com/cairn-kb/cairn/internal/kb/safetext"
)

// Table prints rows in columns under a heading. Cells are strings, which are
// cleaned, or Styled. On a page that has a width, the widest columns are cut so
// that the table fits.
type Table struct {
	head  []string
	rows  [][]Styled
	paths []int
	extra []int
}

// NewTable returns a table with these headings.
func NewTable(head ...string) *Table { return &Table{head: head} }

// Paths names columns, from 0 on, that are cut in the middle.
func (t *Table) Paths(columns ...int) *Table {
	t.paths = columns
	return t
}

// Extra names columns, from 0 on, that are left out where no row has anything in them.
func (t *Table) Extra(columns ...int) *Table {
	t.extra = columns
	return t
}

// withoutEmpty leaves out the columns of Extra that are empty, from the last on.
func (t *Table) withoutEmpty() {
	for i := len(t.head) - 1; i >= 0; i-- {
		if !slices.Contains(t.extra, i) || slices.ContainsFunc(t.rows, func(row []Styled) bool { return row[i] != "" }) {
			continue
		}
		t.head = slices.Delete(t.head, i, i+1)
		for n := range t.rows {
			t.rows[n] = slices.Delete(t.rows[n], i, i+1)
		}
	}
}

// Row adds a row with a cell for each column.
func (t *Table) Row(cells ...any) {
	row := make([]Styled, len(cells))
	for i, c := range cells {
		switch c := c.(type) {
		case Styled:
			row[i] = c
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
	t.withoutEmpty()
	width := make([]int, len(t.head))
	for i, h := range t.head {
		width[i] = lipgloss.Width(h)
	}
	for _, row := range t.rows {
		for i, c := range row {
			width[i] = max(width[i], lipgloss.Width(string(c)))
		}
	}
	if o.Width > 0 {
		width = fit(width, o.Width-len(gutter)*(len(width)-1))
	}
	line := func(cells []Styled) {
		var b strings.Builder
		for i, c := range cells {
			text := cut(string(c), width[i], slices.Contains(t.paths, i))
			b.WriteString(text)
			if i < len(cells)-1 {
				b.WriteString(strings.Repeat(" ", width[i]-lipgloss.Width(text)) + gutter)
			}
		}
		o.WriteString(strings.TrimRight(b.String(), " ") + "\n")
	}
	head := make([]Styled, len(t.head))
	for i, h := range t.head {
		head[i] = o.Style.Aside(h)
	}
	line(head)
	for _, row := range t.rows {
		line(row)
	}
}
