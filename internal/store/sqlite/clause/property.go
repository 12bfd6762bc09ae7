package clause

import (
	"strings"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/store"
)

// property is the condition for pages with a property.
func (w *where) property(c store.Where) string {
	in, is := "p.row IN ", string(c.Is)
	c.Text = strings.TrimSpace(c.Text)
	if c.Is == store.Differs {
		in, is = "p.row NOT IN ", "="
	}
	w.args = append(w.args, c.Key)
	cond := ""
	number, isNumber := kb.Number(c.Text)
	switch {
	case c.Is == store.Present:
	case isDate(c.Text):
		cond = w.date(is, Fold(c.Text))
	case isNumber:
		cond = " AND number " + is + " ?"
		w.args = append(w.args, number)
	default:
		cond = " AND text_fold " + is + " ?"
		w.args = append(w.args, Fold(c.Text))
	}
	return in + "(SELECT row >> 24 FROM properties WHERE key = ?" + cond + ")"
}

// isDate reports whether text is a year, a month or a day, the last also with a time.
// A year is a number, too.
func isDate(text string) bool {
	for i, pattern := range []byte("0000-00-00") {
		if i == len(text) {
			return i == len("2006") || i == len("2006-01")
		}
		if c := text[i]; pattern == '-' && c != '-' || pattern == '0' && (c < '0' || c > '9') {
			return false
		}
	}
	return len(text) == len("2006-01-02") || strings.ContainsRune("tT ", rune(text[len("2006-01-02")]))
}

// date is the condition that a value compares so with a date: a value that is one, too,
// at the coarser precision of both, so that a day of December is neither before nor
// after the month. A year compares with numbers as the number that it is.
func (w *where) date(is, date string) string {
	const looks = "text_fold GLOB '[0-9][0-9][0-9][0-9]-[0-9][0-9]*'"
	both := looks + " AND substr(text_fold, 1, ?) " + is + " substr(?, 1, length(text_fold))"
	if year, ok := kb.Number(date); ok {
		w.args = append(w.args, year, len(date), date)
		return " AND (number " + is + " ? OR number IS NULL AND " + both + ")"
	}
	w.args = append(w.args, len(date), date)
	w.args = append(w.args, date[:len("2006")])
	return " AND (" + both + " OR length(text_fold) = 4 AND number IS NOT NULL AND text_fold " + is + " ?)"
}
