package sqlite

import (
	"context"
	"database/sql/driver"
	"time"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/store"
)

// Tx runs statements in a transaction.
type LifeTx interface {
	Query(ctx context.Context, sql string, args []any, f func([]driver.Value) error) error
}

// Lives implements store.Lives.
type Lives struct{ Tx LifeTx }

var _ store.Lives = Lives{}

func lifeText(v driver.Value) string { s, _ := v.(string); return s }
func lifeNum(v driver.Value) int64   { n, _ := v.(int64); return n }

func instant(v driver.Value) time.Time {
	n, ok := v.(int64)
	if !ok {
		return time.Time{}
	}
	return time.UnixMicro(n).UTC()
}

// Newest implements store.Lives. The index pages_newest has the order.
func (l Lives) Newest(ctx context.Context, space int64, status kb.Status, limit int) (out []int64, err error) {
	order, err := Order(store.ByUpdated)
	if err != nil {
		return nil, err
	}
	query := "SELECT p.row FROM pages p WHERE p.space = ? AND p.status = ? ORDER BY " + order + Limit(limit, 0)
	err = l.Tx.Query(ctx, query, []any{space, string(status)}, func(r []driver.Value) error {
		out = append(out, lifeNum(r[0]))
		return nil
	})
	return out, err
}

// Pinned implements store.Lives. It starts from the tags, of which few pages have this one:
// what has a plus is left to the end.
func (l Lives) Pinned(ctx context.Context, space int64, statuses []kb.Status, limit int) (out []int64, err error) {
	args := []any{kb.PinnedTag, kb.PinnedTag + "/", kb.PinnedTag + "0", space} // "0" is next to "/"
	query := `SELECT p.row FROM pages p WHERE p.row IN (SELECT page FROM tags WHERE tag_fold = ? OR tag_fold > ? AND tag_fold < ?)
AND +p.space = ? AND +p.status IN (` + In(&args, statuses) + ") ORDER BY p.slug, p.row" + Limit(limit, 0)
	err = l.Tx.Query(ctx, query, args, func(r []driver.Value) error {
		out = append(out, lifeNum(r[0]))
		return nil
	})
	return out, err
}

// Places implements store.Lives.
func (l Lives) Places(ctx context.Context, pages []int64) (out []store.LifePlace, err error) {
	err = Chunks(pages, nil, func(list string, args []any) error {
		query := "SELECT p.row, p.space, p.slug, p.status, p.updated FROM pages p WHERE p.row IN (" + list + ")"
		return l.Tx.Query(ctx, query, args, func(r []driver.Value) error {
			out = append(out, store.LifePlace{Page: lifeNum(r[0]), Space: lifeNum(r[1]), Slug: lifeText(r[2]), Status: kb.Status(lifeText(r[3])), Updated: instant(r[4])})
			return nil
		})
	})
	return out, err
}

// Linked implements store.Lives.
func (l Lives) Linked(ctx context.Context, pages []int64) (map[int64]int, error) {
	out := map[int64]int{}
	err := Chunks(pages, nil, func(list string, args []any) error {
		query := "SELECT l.target, COUNT(DISTINCT l.row >> 24) FROM links l WHERE l.target IN (" + list + ") AND l.row >> 24 <> l.target GROUP BY l.target"
		return l.Tx.Query(ctx, query, args, func(r []driver.Value) error {
			out[lifeNum(r[0])] = int(lifeNum(r[1]))
			return nil
		})
	})
	return out, err
}

// All implements store.Lives.
func (l Lives) All(ctx context.Context, space int64) (out []store.Life, err error) {
	from, n, err := l.every(ctx, space)
	if err != nil || n == 0 {
		return nil, err
	}
	out = make([]store.Life, 0, n)
	query := "SELECT p.row, p.slug, p.status, p.created, p.truth_updated, p.timeline_updated" + from
	err = l.Tx.Query(ctx, query, []any{space}, func(r []driver.Value) error {
		out = append(out, store.Life{
			Page: lifeNum(r[0]), Slug: lifeText(r[1]), Status: kb.Status(lifeText(r[2])),
			Created: instant(r[3]), TruthUpdated: instant(r[4]), TimelineUpdated: instant(r[5]),
		})
		return nil
	})
	if err != nil || len(out) == 0 {
		return out, err
	}
	return out, l.mark(ctx, out)
}

// Days implements store.Lives.
func (l Lives) Days(ctx context.Context, space int64) (out []store.LifeDays, err error) {
	from, n, err := l.every(ctx, space)
	if err != nil || n == 0 {
		return nil, err
	}
	out = make([]store.LifeDays, 0, n)
	err = l.Tx.Query(ctx, "SELECT p.row, p.document, p.node = '', p.created, p.updated"+from, []any{space}, func(r []driver.Value) error {
		out = append(out, store.LifeDays{Page: lifeNum(r[0]), Document: lifeNum(r[1]), Own: lifeNum(r[2]) == 1, Created: instant(r[3]), Updated: instant(r[4])})
		return nil
	})
	return out, err
}

// every is the FROM of a statement over the pages of a space in order of row, and how many
// they are. Where most pages are of the space all of them are read in the order in which
// they lie, which costs less than to look for each.
func (l Lives) every(ctx context.Context, space int64) (from string, n int, err error) {
	where := "p.space = ?"
	err = l.Tx.Query(ctx, "SELECT count(*), (SELECT max(row) FROM pages) FROM pages WHERE space = ?", []any{space}, func(r []driver.Value) error {
		n = int(lifeNum(r[0]))
		if lifeNum(r[1]) < dense*lifeNum(r[0]) {
			where = "+p.space = ?"
		}
		return nil
	})
	return " FROM pages p WHERE " + where + " ORDER BY p.row", n, err
}

// mark notes to which of pages, which are in order, others link. Where they lie close
// together, what is linked from the first to the last is read in the order of the index,
// which costs far less than to look for each.
func (l Lives) mark(ctx context.Context, pages []store.Life) error {
	at := 0
	linked := func(r []driver.Value) error {
		for at < len(pages) && pages[at].Page < lifeNum(r[0]) {
			at++
		}
		if at < len(pages) && pages[at].Page == lifeNum(r[0]) {
			pages[at].Linked = true
		}
		return nil
	}
	first, last := pages[0].Page, pages[len(pages)-1].Page
	if last-first < sparse*int64(len(pages)) {
		return l.Tx.Query(ctx, "SELECT DISTINCT l.target FROM links l WHERE l.target BETWEEN ? AND ? AND l.row >> 24 <> l.target ORDER BY l.target", []any{first, last}, linked)
	}
	rows := make([]int64, len(pages))
	for i, p := range pages {
		rows[i] = p.Page
	}
	return Chunks(rows, nil, func(list string, args []any) error {
		at = 0
		return l.Tx.Query(ctx, "SELECT DISTINCT l.target FROM links l WHERE l.target IN ("+list+") AND l.row >> 24 <> l.target ORDER BY l.target", args, linked)
	})
}

// How many rows there are to one of a space where all are read in order, rather than
// those of the space looked for: of pages, and of links to them.
const dense, sparse = 3, 8
