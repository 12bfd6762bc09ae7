package retrieve

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/store"
)

// RowsRequest asks for pages with the values of their properties.
type RowsRequest struct {
	ListRequest          // Sort may be a property as well
	Columns     []string // names of properties; none: those that most of the pages have
	Reverse     bool     // the last of the order first
	AsOf        string   // a time or date phrase: the pages of that time
}

const (
	commonColumns = 6   // that are chosen where none are asked for
	sampledRows   = 500 // pages that the choice is made from
)

// Rows lists pages with the values of properties. Sorted by a property, numbers come in
// their order, and pages without it last in both directions.
func Rows(ctx context.Context, sess *memory.Session, req RowsRequest) (out api.PageRows, err error) {
	if asOf := req.AsOf; asOf != "" {
		req.AsOf = ""
		err = Past(ctx, sess, asOf, req.All, func(then *memory.Session) error {
			out, err = Rows(ctx, then, req)
			return err
		})
		return out, err
	}
	out = api.PageRows{List: api.List[api.PageRow]{Items: []api.PageRow{}}, Columns: req.Columns}
	f, err := readFilter(ctx, sess, req.Within)
	if err != nil {
		return out, err
	}
	f.Orphans = req.Orphans
	order, own := store.Order(req.Sort), true
	switch order {
	case store.BySlug, store.ByTitle, store.ByUpdated, store.ByCreated:
	default:
		order, own = store.BySlug, req.Sort == ""
	}
	err = sess.DB.View(ctx, func(tx store.Tx) error {
		if f.Spaces, err = sess.Spaces.ScopeTx(ctx, tx, req.All); err != nil {
			return err
		}
		limit, offset := api.Limit(req.Limit), req.Offset
		if !own || req.Reverse || len(req.Columns) == 0 {
			limit, offset = -1, 0 // all of them decide
		}
		pages, total, err := tx.Pages().List(ctx, f, order, limit, offset)
		if err != nil {
			return err
		}
		if len(req.Columns) == 0 {
			if out.Columns, err = commonKeys(ctx, tx, pages[:min(sampledRows, len(pages))]); err != nil {
				return err
			}
		}
		if !own {
			if err := sortByProperty(ctx, tx, pages, doc.PropertyKey(req.Sort), req.Reverse); err != nil {
				return err
			}
		} else if req.Reverse {
			slices.Reverse(pages)
		}
		if limit < 0 {
			pages = pages[min(max(0, req.Offset), len(pages)):]
			pages = pages[:min(api.Limit(req.Limit), len(pages))]
		}
		out.Total, out.Next = total, api.Next(req.Offset, len(pages), total)
		out.Items, err = withColumns(ctx, tx, pages, out.Columns)
		return err
	})
	return out, err
}

// rowNumbers are the rows of pages in the index.
func rowNumbers(pages []kb.Page) []int64 {
	out := make([]int64, len(pages))
	for i, p := range pages {
		out[i] = p.Row
	}
	return out
}

// withColumns describes pages with the values of columns.
func withColumns(ctx context.Context, tx store.Tx, pages []kb.Page, columns []string) ([]api.PageRow, error) {
	v, err := api.NewViewer(ctx, tx)
	if err != nil {
		return nil, err
	}
	described, err := v.Pages(ctx, pages)
	if err != nil {
		return nil, err
	}
	keys := make([]string, len(columns))
	for i, c := range columns {
		keys[i] = doc.PropertyKey(c)
	}
	out, at := make([]api.PageRow, len(pages)), make(map[int64]int, len(pages))
	for i, p := range described {
		out[i], at[pages[i].Row] = api.PageRow{Page: p, Columns: map[string]string{}}, i
	}
	if len(pages) == 0 || len(keys) == 0 {
		return out, nil
	}
	found, err := tx.Claims().Properties(ctx, store.Claimants{Pages: rowNumbers(pages)}, keys)
	for _, x := range found {
		name, row := columns[slices.Index(keys, x.Key)], &out[at[x.Page]]
		if row.Columns[name] != "" {
			row.Columns[name] += ", "
		}
		row.Columns[name] += x.Text
	}
	return out, err
}

// sortByProperty sorts pages by the first value of a property.
func sortByProperty(ctx context.Context, tx store.Tx, pages []kb.Page, key string, reverse bool) error {
	found, err := tx.Claims().Properties(ctx, store.Claimants{Pages: rowNumbers(pages)}, []string{key})
	if err != nil {
		return err
	}
	first := make(map[int64]kb.Property, len(found))
	for _, x := range found {
		if _, ok := first[x.Page]; !ok {
			first[x.Page] = x
		}
	}
	slices.SortStableFunc(pages, func(a, b kb.Page) int {
		x, hasX := first[a.Row]
		y, hasY := first[b.Row]
		switch {
		case !hasX || !hasY:
			return cmp.Compare(bit(!hasX), bit(!hasY))
		case reverse:
			x, y = y, x
		}
		n, isNumber := kb.Number(x.Text)
		m, isToo := kb.Number(y.Text)
		if isNumber && isToo {
			return cmp.Compare(n, m)
		}
		return cmp.Or(cmp.Compare(bit(!isNumber), bit(!isToo)), cmp.Compare(strings.ToLower(x.Text), strings.ToLower(y.Text)))
	})
	return nil
}

func bit(b bool) int {
	if b {
		return 1
	}
	return 0
}

// described are keys that each row of a page has without a column.
var described = []string{"title", "type", "id", "permalink"}

// commonKeys returns the properties that most of the pages have, the most common first.
func commonKeys(ctx context.Context, tx store.Tx, pages []kb.Page) ([]string, error) {
	found, err := tx.Facts().Properties(ctx, rowNumbers(pages))
	if err != nil {
		return nil, err
	}
	type use struct {
		page int64
		key  string
	}
	seen, count := map[use]bool{}, map[string]int{}
	keys := []string{} // an answer lists them
	for _, x := range found {
		if seen[use{x.Page, x.Key}] || slices.Contains(described, x.Key) {
			continue
		}
		seen[use{x.Page, x.Key}] = true
		if count[x.Key]++; count[x.Key] == 1 {
			keys = append(keys, x.Key)
		}
	}
	slices.SortStableFunc(keys, func(a, b string) int { return cmp.Compare(count[b], count[a]) })
	return keys[:min(commonColumns, len(keys))], nil
}
