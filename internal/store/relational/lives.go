package relational

import (
	"context"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/store"
)

// lives implements store.Lives.
type lives struct{ t *Tx }

var _ store.Lives = lives{}

// Newest implements store.Lives. The index pages_newest has the order.
func (l lives) Newest(ctx context.Context, space int64, status kb.Status, limit int) (out []int64, err error) {
	order, err := orderSQL(store.ByUpdated)
	if err != nil {
		return nil, err
	}
	query := "SELECT p.row FROM pages p WHERE p.space = ? AND p.status = ? ORDER BY " + order + limitSQL(limit, 0)
	err = l.t.query(ctx, query, []any{space, string(status)}, func(r Row) error {
		out = append(out, r.Int(0))
		return nil
	})
	return out, err
}

// Pinned implements store.Lives. It starts from the tags, since few pages have this tag: a +
// keeps a condition from using an index.
func (l lives) Pinned(ctx context.Context, space int64, statuses []kb.Status, limit int) (out []int64, err error) {
	args := []any{kb.PinnedTag, kb.PinnedTag + "/", kb.PinnedTag + "0", space} // "0" follows "/"
	query := `SELECT p.row FROM pages p WHERE p.row IN (SELECT page FROM tags WHERE tag_fold = ? OR tag_fold > ? AND tag_fold < ?)
AND +p.space = ? AND +p.status IN (` + inList(l.t.d, &args, statuses) + ") ORDER BY p.slug, p.row" + limitSQL(limit, 0)
	err = l.t.query(ctx, query, args, func(r Row) error {
		out = append(out, r.Int(0))
		return nil
	})
	return out, err
}

// Places implements store.Lives.
func (l lives) Places(ctx context.Context, pages []int64) (out []store.LifePlace, err error) {
	err = chunks(pages, nil, func(list string, args []any) error {
		query := "SELECT p.row, p.space, p.slug, p.status, p.updated FROM pages p WHERE p.row IN (" + list + ")"
		return l.t.query(ctx, query, args, func(r Row) error {
			out = append(out, store.LifePlace{Page: r.Int(0), Space: r.Int(1), Slug: r.Text(2), Status: kb.Status(r.Text(3)), Updated: r.Time(4)})
			return nil
		})
	})
	return out, err
}

// notAutomatic excludes the relations that cairn added, with the index links_automatic.
const notAutomatic = "l.row NOT IN (SELECT row FROM links WHERE context >= 'auto 0.' AND context < 'auto 0/' OR context = 'auto 1.00')"

// Use implements store.Lives.
func (l lives) Use(ctx context.Context, space int64, pages []kb.ID, day string) error {
	for _, id := range pages {
		if err := l.t.exec(ctx, `INSERT INTO uses (space, page, day) VALUES (?, ?, ?)
ON CONFLICT (space, page) DO UPDATE SET day = excluded.day WHERE uses.day <> excluded.day`, space, string(id), day); err != nil {
			return err
		}
	}
	return nil
}

// UsedOn implements store.Lives.
func (l lives) UsedOn(ctx context.Context, space int64, page kb.ID) (day string, err error) {
	err = l.t.query(ctx, "SELECT day FROM uses WHERE space = ? AND page = ?", []any{space, string(page)}, func(r Row) error {
		day = r.Text(0)
		return nil
	})
	return day, err
}

// Used implements store.Lives.
func (l lives) Used(ctx context.Context, space int64) (map[int64]string, error) {
	out := map[int64]string{}
	err := l.t.query(ctx, "SELECT p.row, u.day FROM uses u CROSS JOIN pages p ON p.id = u.page AND p.space = u.space WHERE u.space = ?", []any{space}, func(r Row) error {
		out[r.Int(0)] = r.Text(1)
		return nil
	})
	return out, err
}

// Linked implements store.Lives.
func (l lives) Linked(ctx context.Context, pages []int64) (map[int64]int, error) {
	out := map[int64]int{}
	err := chunks(pages, nil, func(list string, args []any) error {
		query := "SELECT l.target, COUNT(DISTINCT l.row >> 24) FROM links l WHERE l.target IN (" + list + ") AND l.row >> 24 <> l.target AND " + notAutomatic + " GROUP BY l.target"
		return l.t.query(ctx, query, args, func(r Row) error {
			out[r.Int(0)] = r.Num(1)
			return nil
		})
	})
	return out, err
}

// All implements store.Lives.
func (l lives) All(ctx context.Context, space int64) (out []store.Life, err error) {
	from, n, err := l.every(ctx, space)
	if err != nil || n == 0 {
		return nil, err
	}
	out = make([]store.Life, 0, n)
	query := "SELECT p.row, p.slug, p.status, p.created, p.truth_updated, p.timeline_updated" + from
	err = l.t.query(ctx, query, []any{space}, func(r Row) error {
		out = append(out, store.Life{
			Page: r.Int(0), Slug: r.Text(1), Status: kb.Status(r.Text(2)),
			Created: r.Time(3), TruthUpdated: r.Time(4), TimelineUpdated: r.Time(5),
		})
		return nil
	})
	if err != nil || len(out) == 0 {
		return out, err
	}
	return out, l.mark(ctx, out)
}

// Days implements store.Lives.
func (l lives) Days(ctx context.Context, space int64) (out []store.LifeDays, err error) {
	from, n, err := l.every(ctx, space)
	if err != nil || n == 0 {
		return nil, err
	}
	out = make([]store.LifeDays, 0, n)
	err = l.t.query(ctx, "SELECT p.row, p.document, p.node = '', p.created, p.updated"+from, []any{space}, func(r Row) error {
		out = append(out, store.LifeDays{Page: r.Int(0), Document: r.Int(1), Own: r.Int(2) == 1, Created: r.Time(3), Updated: r.Time(4)})
		return nil
	})
	return out, err
}

// every returns the FROM clause of a statement over the pages of a space ordered by row, and
// their number. If most pages belong to the space, all pages are read in storage order,
// which is cheaper than looking up each.
func (l lives) every(ctx context.Context, space int64) (from string, n int, err error) {
	where := "p.space = ?"
	err = l.t.query(ctx, "SELECT count(*), (SELECT max(row) FROM pages) FROM pages WHERE space = ?", []any{space}, func(r Row) error {
		n = r.Num(0)
		if r.Int(1) < dense*r.Int(0) {
			where = "+p.space = ?"
		}
		return nil
	})
	return " FROM pages p WHERE " + where + " ORDER BY p.row", n, err
}

// mark sets Linked on those of pages, which are in order, that other pages link to. If the
// pages are close together, all links from the first to the last are read in index order,
// which is much cheaper than looking up each page.
func (l lives) mark(ctx context.Context, pages []store.Life) error {
	at := 0
	linked := func(r Row) error {
		for at < len(pages) && pages[at].Page < r.Int(0) {
			at++
		}
		if at < len(pages) && pages[at].Page == r.Int(0) {
			pages[at].Linked = true
		}
		return nil
	}
	first, last := pages[0].Page, pages[len(pages)-1].Page
	if last-first < sparse*int64(len(pages)) {
		return l.t.query(ctx, "SELECT DISTINCT l.target FROM links l WHERE l.target BETWEEN ? AND ? AND l.row >> 24 <> l.target AND "+notAutomatic+" ORDER BY l.target", []any{first, last}, linked)
	}
	rows := make([]int64, len(pages))
	for i, p := range pages {
		rows[i] = p.Page
	}
	return chunks(rows, nil, func(list string, args []any) error {
		at = 0
		return l.t.query(ctx, "SELECT DISTINCT l.target FROM links l WHERE l.target IN ("+list+") AND l.row >> 24 <> l.target AND "+notAutomatic+" ORDER BY l.target", args, linked)
	})
}

// dense and sparse are factors: if at most this many rows are read for each relevant row,
// all rows are read in order. dense is for pages, sparse for the links to them.
const dense, sparse = 3, 8
