package relational

import (
	"context"

	"github.com/cairn-kb/cairn/internal/store"
)

// wrongCounts returns a row for each space and status with a wrong count of
// pages.
const wrongCounts = `SELECT 1 FROM (SELECT space, status, pages FROM page_counts WHERE pages <> 0
  EXCEPT SELECT space, status, count(*) FROM pages GROUP BY space, status) AS a
UNION ALL SELECT 1 FROM (SELECT space, status, count(*) FROM pages GROUP BY space, status
  EXCEPT SELECT space, status, pages FROM page_counts) AS b`

// recount is the statement that recomputes the counts.
const recount = `INSERT INTO page_counts
SELECT k.space, k.status, (SELECT count(*) FROM pages p WHERE p.space = k.space AND p.status = k.status)
FROM (SELECT space, status FROM page_counts UNION SELECT space, status FROM pages) k WHERE true
ON CONFLICT (space, status) DO UPDATE SET pages = excluded.pages`

// statusCounts counts the pages of spaces by status, in no particular order; no spaces means
// all.
func statusCounts(ctx context.Context, t *Tx, spaces []int64) (out []store.Count, err error) {
	counts := map[string]int{}
	add := func(r Row) error {
		counts[r.Text(0)] += r.Num(1)
		return nil
	}
	if len(spaces) == 0 {
		err = t.query(ctx, "SELECT status, pages FROM page_counts", nil, add)
	} else {
		err = chunks(spaces, nil, func(list string, args []any) error {
			return t.query(ctx, "SELECT status, pages FROM page_counts WHERE space IN ("+list+")", args, add)
		})
	}
	for status, n := range counts {
		if n > 0 {
			out = append(out, store.Count{Value: status, N: n})
		}
	}
	return out, err
}
