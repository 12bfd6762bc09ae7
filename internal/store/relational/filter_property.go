package relational

import (
	"strings"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/store"
)

// property returns the condition for pages with a property.
func (w *where) property(c store.Where) string {
	in := "p.row IN "
	if c.Is == store.Differs {
		in, c.Is = "p.row NOT IN ", store.Equals
	}
	w.args = append(w.args, c.Key)
	return in + "(SELECT row >> 24 FROM properties WHERE key = ?" + w.value(c) + ")"
}

// value returns the condition that a value satisfies the comparison.
func (w *where) value(c store.Where) string {
	switch c.Is {
	case store.Present:
		return ""
	case store.OneOf:
		var any []string
		for _, text := range c.Texts {
			any = append(any, w.compare("=", text))
		}
		if len(any) == 0 {
			return " AND FALSE"
		}
		return " AND (" + strings.Join(any, " OR ") + ")"
	case store.Between:
		if len(c.Texts) != 2 {
			return " AND FALSE"
		}
		return " AND " + w.compare(">=", c.Texts[0]) + " AND " + w.compare("<=", c.Texts[1])
	}
	return " AND " + w.compare(string(c.Is), c.Text)
}

// compare returns the condition that a value compares in the given way with a text.
func (w *where) compare(is, text string) string {
	text = strings.TrimSpace(text)
	if isDate(text) {
		return w.date(is, foldText(text))
	}
	if number, ok := kb.Number(text); ok {
		w.args = append(w.args, number)
		return "number " + is + " ?"
	}
	w.args = append(w.args, foldText(text))
	return "text_fold " + is + " ?"
}

// status returns the condition for pages with one of these statuses. Unknown statuses exist
// only in the documents, as a property.
func (w *where) status(list []kb.Status) string {
	var known, own []string
	for _, s := range list {
		if status, ok := kb.ParseStatus(string(s)); ok {
			known = append(known, string(status))
		} else {
			own = append(own, string(s))
		}
	}
	var any []string
	if len(known) > 0 {
		any = append(any, "p.status IN ("+inList(w.d, &w.args, known)+")")
	}
	if len(own) > 0 {
		any = append(any, w.property(store.Where{Key: "status", Is: store.OneOf, Texts: own}))
	}
	return either(any, " OR ")
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

// date returns the condition that a value compares in the given way with a date. A value
// that is a date is compared at the coarser precision of the two, so that a day of December
// is neither before nor after the month. A year is also compared with numbers.
func (w *where) date(is, date string) string {
	looks := w.d.Shaped("text_fold", "[0-9][0-9][0-9][0-9]-[0-9][0-9]*")
	both := looks + " AND substr(text_fold, 1, ?) " + is + " substr(?, 1, length(text_fold))"
	if year, ok := kb.Number(date); ok {
		w.args = append(w.args, year, len(date), date)
		return "(number " + is + " ? OR number IS NULL AND " + both + ")"
	}
	w.args = append(w.args, len(date), date)
	w.args = append(w.args, date[:len("2006")])
	return "(" + both + " OR length(text_fold) = 4 AND number IS NOT NULL AND text_fold " + is + " ?)"
}
