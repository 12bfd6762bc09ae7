package life

import (
	"context"
	"database/sql/driver"
	"time"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/store"
	"github.com/cairn-kb/cairn/internal/store/sqlite/clause"
)

// Tx runs statements in a transaction.
type Tx interface {
	Query(ctx context.Context, sql string, args []any, f func([]driver.Value) error) error
}

// Lives implements store.Lives.
type Lives struct{ Tx Tx }

var _ store.Lives = Lives{}

func text(v driver.Value) string { s, _ := v.(string); return s }
func num(v driver.Value) int64   { n, _ := v.(int64); return n }

func instant(v driver.Value) time.Time {
	n, ok := v.(int64)
	if !ok {
		return time.Time{}
	}
	return time.UnixMicro(n).UTC()
}

// Newest implements store.Lives. The index pages_newest has the order.
func (l Lives) Newest(ctx context.Context, space int64, status kb.Status, limit int) (out []int64, err error) {
	order, err := clause.Order(store.ByUpdated)
	if err != nil {
		return nil, err
	}
	query := "SELECT p.row FROM pages p WHERE p.space = ? AND p.status = ? ORDER BY " + order + clause.Limit(limit, 0)
	err = l.Tx.Query(ctx, query, []any{space, string(status)}, func(r []driver.Value) error {
		out = append(out, num(r[0]))
		return nil
	})
	return out, err
}

// Pinned implements store.Lives. It starts from the tags, of which few pages have this one:
// what has a plus is left to the end.
func (l Lives) Pinned(ctx context.Context, space int64, statuses []kb.Status, limit int) (out []int64, err error) {
	args := []any{kb.PinnedTag, kb.PinnedTag + "/", kb.PinnedTag + "0", space} // "0" is next to "/"
	query := `SELECT p.row FROM pages p WHERE p.row IN (SELECT page FROM tags WHERE tag_fold = ? OR tag_fold > ? AND tag_fold < ?)
AND +p.space = ? AND +p.status IN (` + clause.In(&args, statuses) + ") ORDER BY p.slug, p.row" + clause.Limit(limit, 0)
	err = l.Tx.Query(ctx, query, args, func(r []driver.Value) error {
		out = append(out, num(r[0]))
		return nil
	})
	return out, err
}

// Linked implements store.Lives.
func (l Lives) Linked(ctx context.Context, pages []int64) (map[int64]int, error) {
	out := map[int64]int{}
	err := clause.Chunks(pages, nil, func(list string, args []any) error {
		query := "SELECT l.target, COUNT(DISTINCT l.row >> 24) FROM links l WHERE l.target IN (" + list + ") AND l.row >> 24 <> l.target GROUP BY l.target"
		return l.Tx.Query(ctx, query, args, func(r []driver.Value) error {
			out[num(r[0])] = int(num(r[1]))
			return nil
		})
	})
	return out, err
}

// All implements store.Lives.
func (l Lives) All(ctx context.Context, space int64) (out []store.Life, err error) {
	const query = `SELECT p.row, p.slug, p.status, p.created, p.truth_updated, p.timeline_updated,
EXISTS (SELECT 1 FROM links l WHERE l.target = p.row AND l.row >> 24 <> p.row) FROM pages p WHERE p.space = ? ORDER BY p.row`
	err = l.Tx.Query(ctx, query, []any{space}, func(r []driver.Value) error {
		out = append(out, store.Life{
			Page: num(r[0]), Slug: text(r[1]), Status: kb.Status(text(r[2])), Linked: num(r[6]) != 0,
			Created: instant(r[3]), TruthUpdated: instant(r[4]), TimelineUpdated: instant(r[5]),
		})
		return nil
	})
	return out, err
}
