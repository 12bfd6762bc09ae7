package clause

import (
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/store"
)

// property is the condition for pages with a property.
func (w *where) property(c store.Where) string {
	in, is := "p.row IN ", string(c.Is)
	if c.Is == store.Differs {
		in, is = "p.row NOT IN ", "="
	}
	w.args = append(w.args, c.Key)
	cond := ""
	number, isNumber := kb.Number(c.Text)
	switch {
	case c.Is == store.Present:
	case isNumber:
		cond = " AND number " + is + " ?"
		w.args = append(w.args, number)
	default:
		cond = " AND text_fold " + is + " ?"
		w.args = append(w.args, Fold(c.Text))
	}
	return in + "(SELECT row >> 24 FROM properties WHERE key = ?" + cond + ")"
}
