package sqlite

import (
	"context"
	"database/sql/driver"
	"slices"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/store"
)

// Tx runs statements in a transaction.
type FactTx interface {
	Query(ctx context.Context, sql string, args []any, f func([]driver.Value) error) error
}

// Facts implements store.Facts.
type Facts struct {
	Tx   FactTx
	List func([]byte) ([]string, error) // reads a column that holds a list
}

var _ store.Facts = Facts{}

// shift is how far a page's row is shifted in the row numbers of its facts.
const shift = 24

// near is how many pages that nobody asks for are read over, rather than asked around.
const near = 4

// span is some pages, with few between them that were not asked for.
type span struct{ from, to int64 }

// spans puts pages together that lie side by side.
func spans(pages []int64) (out []span) {
	for _, p := range slices.Sorted(slices.Values(pages)) {
		if n := len(out); n > 0 && p <= out[n-1].to+near {
			out[n-1].to = p
			continue
		}
		out = append(out, span{p, p})
	}
	return out
}

func factSet(pages []int64) map[int64]bool {
	out := make(map[int64]bool, len(pages))
	for _, p := range pages {
		out[p] = true
	}
	return out
}

// each runs a statement over the facts of pages. It ends with a condition on row, which
// is the first column.
func (f Facts) each(ctx context.Context, sql string, pages []int64, do func(page int64, v []driver.Value) error) error {
	asked := factSet(pages)
	for _, s := range spans(pages) {
		err := f.Tx.Query(ctx, sql+" BETWEEN ? AND ? ORDER BY row", []any{s.from << shift, (s.to+1)<<shift - 1}, func(v []driver.Value) error {
			row, _ := v[0].(int64)
			if page := row >> shift; asked[page] {
				return do(page, v)
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func factText(v driver.Value) string { s, _ := v.(string); return s }
func factNum(v driver.Value) int     { n, _ := v.(int64); return int(n) }

// Observations implements store.Facts.
func (f Facts) Observations(ctx context.Context, pages []int64) (out []kb.Observation, err error) {
	err = f.each(ctx, "SELECT row, category, text, tags, context, line FROM observations WHERE row", pages, func(page int64, v []driver.Value) error {
		packed, _ := v[3].([]byte)
		tags, err := f.List(packed)
		out = append(out, kb.Observation{Page: page, Category: factText(v[1]), Text: factText(v[2]), Tags: tags, Context: factText(v[4]), Line: factNum(v[5])})
		return err
	})
	return out, err
}

// Properties implements store.Facts.
func (f Facts) Properties(ctx context.Context, pages []int64) (out []kb.Property, err error) {
	err = f.each(ctx, "SELECT row, key, text, number FROM properties WHERE row", pages, func(page int64, v []driver.Value) error {
		p := kb.Property{Page: page, Key: factText(v[1]), Text: factText(v[2])}
		if n, ok := v[3].(float64); ok {
			p.Number = &n
		}
		out = append(out, p)
		return nil
	})
	return out, err
}

// Links implements store.Facts.
func (f Facts) Links(ctx context.Context, pages []int64, typed bool) (out []kb.Link, err error) {
	sql := "SELECT row, target, type, name, context, line FROM links WHERE row"
	if typed {
		sql = "SELECT row, target, type, name, context, line FROM links WHERE type <> '" + kb.PlainLink + "' AND row"
	}
	err = f.each(ctx, sql, pages, func(page int64, v []driver.Value) error {
		l := kb.Link{From: page, Type: factText(v[2]), Name: factText(v[3]), Context: factText(v[4]), Line: factNum(v[5])}
		l.To, _ = v[1].(int64)
		out = append(out, l)
		return nil
	})
	return out, err
}

// Values implements store.Facts.
func (f Facts) Values(ctx context.Context, key string, pages []int64) (map[int64]string, error) {
	out, asked := map[int64]string{}, factSet(pages)
	for _, s := range spans(pages) {
		args := []any{key, s.from << shift, (s.to+1)<<shift - 1}
		err := f.Tx.Query(ctx, "SELECT row, text FROM properties INDEXED BY properties_key WHERE key = ? AND row BETWEEN ? AND ? ORDER BY row", args, func(v []driver.Value) error {
			row, _ := v[0].(int64)
			page := row >> shift
			if _, has := out[page]; asked[page] && !has {
				out[page] = factText(v[1])
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return out, nil
}

// Types implements store.Facts.
func (f Facts) Types(ctx context.Context, pages []int64) (map[int64]string, error) {
	out, asked := make(map[int64]string, len(pages)), factSet(pages)
	for _, s := range spans(pages) {
		err := f.Tx.Query(ctx, "SELECT row, type FROM pages WHERE row BETWEEN ? AND ?", []any{s.from, s.to}, func(v []driver.Value) error {
			if row, _ := v[0].(int64); asked[row] {
				out[row] = factText(v[1])
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return out, nil
}
