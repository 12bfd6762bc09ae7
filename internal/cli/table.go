package cli

import (
	"fmt"
	"strings"
	"time"

	"charm.land/lipgloss/v2"

	"github.com/cairn-kb/cairn/internal/app"
)

// table prints rows in columns under a heading. Cells are strings, which are
// cleaned, or styled.
type table struct {
	head []string
	rows [][]styled
}

func newTable(head ...string) *table { return &table{head: head} }

func (t *table) row(cells ...any) {
	row := make([]styled, len(cells))
	for i, c := range cells {
		switch c := c.(type) {
		case styled:
			row[i] = c
		default:
			row[i] = styled(cleanLine(fmt.Sprint(c)))
		}
	}
	t.rows = append(t.rows, row)
}

// print writes the table; one without rows writes nothing.
func (t *table) print(o *page) {
	if len(t.rows) == 0 {
		return
	}
	width := make([]int, len(t.head))
	for i, h := range t.head {
		width[i] = lipgloss.Width(h)
	}
	for _, row := range t.rows {
		for i, c := range row {
			width[i] = max(width[i], lipgloss.Width(string(c)))
		}
	}
	line := func(cells []styled) {
		var b strings.Builder
		for i, c := range cells {
			b.WriteString(string(c))
			if i < len(cells)-1 {
				b.WriteString(strings.Repeat(" ", width[i]-lipgloss.Width(string(c))+2))
			}
		}
		o.WriteString(strings.TrimRight(b.String(), " ") + "\n")
	}
	head := make([]styled, len(t.head))
	for i, h := range t.head {
		head[i] = o.style.aside(h)
	}
	line(head)
	for _, row := range t.rows {
		line(row)
	}
}

// more says where a list goes on.
func more[T any](o *page, l app.List[T], what string) {
	if l.Next != "" {
		o.linef("%s", o.style.aside(fmt.Sprintf("%d of %s; the next with --offset %s", len(l.Items), count(l.Total, what), l.Next)))
	}
}

// count returns "1 page" and "2 pages".
func count(n int, what string) string {
	switch {
	case n == 1:
	case strings.HasSuffix(what, "y") && !strings.HasSuffix(what, "ay"):
		what = strings.TrimSuffix(what, "y") + "ies"
	case strings.HasSuffix(what, "ch"):
		what += "es"
	default:
		what += "s"
	}
	return fmt.Sprintf("%d %s", n, what)
}

// moment shows a time to a person, in their zone.
func moment(t time.Time) string { return t.Local().Format("2006-01-02 15:04") }

// day shows the day of a time.
func day(t time.Time) string { return t.Local().Format(time.DateOnly) }

// size shows a number of bytes.
func size(n int64) string {
	const k = 1024
	switch {
	case n < k:
		return fmt.Sprintf("%d B", n)
	case n < k*k:
		return fmt.Sprintf("%.1f KiB", float64(n)/k)
	case n < k*k*k:
		return fmt.Sprintf("%.1f MiB", float64(n)/(k*k))
	}
	return fmt.Sprintf("%.1f GiB", float64(n)/(k*k*k))
}
