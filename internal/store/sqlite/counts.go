package sqlite

import (
	"context"
	"database/sql/driver"

	"github.com/cairn-kb/cairn/internal/store"
)

// WrongCounts is a query that gives a row for each space and status of which other pages
// are counted than there are.
const WrongCounts = `SELECT 1 FROM (SELECT space, status, pages FROM page_counts WHERE pages <> 0
  EXCEPT SELECT space, status, count(*) FROM pages GROUP BY space, status)
UNION ALL SELECT 1 FROM (SELECT space, status, count(*) FROM pages GROUP BY space, status
  EXCEPT SELECT space, status, pages FROM page_counts)`

// RightCounts is the statement that counts them again.
const RightCounts = `INSERT INTO page_counts
SELECT k.space, k.status, (SELECT count(*) FROM pages p WHERE p.space = k.space AND p.status = k.status)
FROM (SELECT space, status FROM page_counts UNION SELECT space, status FROM pages) k WHERE true
ON CONFLICT DO UPDATE SET pages = excluded.pages`

// Statuses counts the pages of spaces by status, of all spaces without any, in no order.
func Statuses(ctx context.Context, tx LifeTx, spaces []int64) (out []store.Count, err error) {
	counts := map[string]int{}
	add := func(r []driver.Value) error {
		counts[lifeText(r[0])] += int(lifeNum(r[1]))
		return nil
	}
	if len(spaces) == 0 {
		err = tx.Query(ctx, "SELECT status, pages FROM page_counts", nil, add)
	} else {
		err = Chunks(spaces, nil, func(list string, args []any) error {
			return tx.Query(ctx, "SELECT status, pages FROM page_counts WHERE space IN ("+list+")", args, add)
		})
	}
	for status, n := range counts {
		if n > 0 {
			out = append(out, store.Count{Value: status, N: n})
		}
	}
	return out, err
}
