package sqlite

import (
	"context"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/store"
)

type vectors struct{ t *tx }

// Both questions about staleness are answered from the index vectors_source,
// in the order that the joins are written in (CROSS JOIN): pages, documents
// and vectors are then read by ascending rows, mostly one after the other,
// which is three times as fast as starting from documents.

func (v vectors) Stale(ctx context.Context, model, version string, spaces []int64, after int64, limit int) ([]int64, error) {
	number, err := v.t.modelRow(ctx, model)
	if err != nil {
		return nil, err
	}
	w := where{args: []any{number, version, after}}
	sql := `SELECT p.row FROM pages p CROSS JOIN documents d ON d.row = p.document
LEFT JOIN vectors v INDEXED BY vectors_source ON v.model = ? AND v.page = p.row AND v.hash = d.hash AND v.version = ?
WHERE p.row > ? AND v.seq IS NULL`
	if len(spaces) > 0 {
		sql += " AND p.space IN (" + in(&w, spaces) + ")"
	}
	return pages{v.t}.rows(ctx, sql+" ORDER BY p.row"+limitSQL(limit, 0), w.args)
}

func (v vectors) Counts(ctx context.Context, model, version string, spaces []int64) (fresh, stale int, err error) {
	number, err := v.t.modelRow(ctx, model)
	if err != nil {
		return 0, 0, err
	}
	all, w := where{}, where{args: []any{number, version}}
	countAll := "SELECT count(*) FROM pages"
	countFresh := `SELECT count(*) FROM vectors v INDEXED BY vectors_source CROSS JOIN pages p ON p.row = v.page
CROSS JOIN documents d ON d.row = p.document WHERE v.model = ? AND v.hash = d.hash AND v.version = ?`
	if len(spaces) > 0 {
		countAll += " WHERE space IN (" + in(&all, spaces) + ")"
		countFresh += " AND p.space IN (" + in(&w, spaces) + ")"
	}
	total := 0
	if _, err = v.t.one(ctx, countAll, all.args, func(r row) { total = r.num(0) }); err != nil {
		return 0, 0, err
	}
	_, err = v.t.one(ctx, countFresh, w.args, func(r row) { fresh = r.num(0) })
	return fresh, total - fresh, err
}

func (v vectors) Put(ctx context.Context, list []store.PageVectors) error {
	for _, pv := range list {
		number, err := v.t.modelRow(ctx, pv.Model)
		if err != nil {
			return err
		}
		if _, err := v.t.exec(ctx, "DELETE FROM vectors WHERE model = ? AND page = ?", number, pv.Page); err != nil {
			return err
		}
		// The driver binds an empty slice as NULL.
		if _, err := v.t.exec(ctx, `INSERT INTO vectors (model, page, hash, version, chunks, bytes)
SELECT ?, row, ?, ?, ?, coalesce(?, x'') FROM pages WHERE row = ?`,
			number, pv.Hash[:], pv.Version, pv.Chunks, pv.Blob, pv.Page); err != nil {
			return err
		}
	}
	return nil
}

// vectorColumns are read by scanVectors.
const vectorColumns = "page, hash, version, chunks, bytes, seq"

func scanVectors(model string, r row) store.PageVectors {
	return store.PageVectors{
		Page: r.int(0), Model: model, Hash: r.hash(1), Version: r.text(2), Chunks: r.num(3), Blob: r.blob(4), Seq: r.int(5),
	}
}

func (v vectors) Get(ctx context.Context, model string, page int64) (store.PageVectors, error) {
	var out store.PageVectors
	number, err := v.t.modelRow(ctx, model)
	if err != nil {
		return out, err
	}
	found, err := v.t.one(ctx, "SELECT "+vectorColumns+" FROM vectors WHERE model = ? AND page = ?", []any{number, page},
		func(r row) { out = scanVectors(model, r) })
	if err == nil && !found {
		return out, kb.Errorf(kb.NotFound, "the page has no vectors of model %q", model)
	}
	return out, err
}

func (v vectors) Each(ctx context.Context, model string, f func(store.PageVectors) error) error {
	number, err := v.t.modelRow(ctx, model)
	if err != nil {
		return err
	}
	return v.t.query(ctx, "SELECT "+vectorColumns+" FROM vectors WHERE model = ? ORDER BY page", []any{number},
		func(r row) error { return f(scanVectors(model, r)) })
}

func (v vectors) Changed(ctx context.Context, model string, since int64, f func(store.PageVectors) error) (pages int, err error) {
	number, err := v.t.modelRow(ctx, model)
	if err != nil {
		return 0, err
	}
	if _, err := v.t.one(ctx, "SELECT count(*) FROM vectors WHERE model = ?", []any{number}, func(r row) { pages = r.num(0) }); err != nil {
		return 0, err
	}
	// The + keeps SQLite from going through all of the model's rows by index.
	return pages, v.t.query(ctx, "SELECT "+vectorColumns+" FROM vectors WHERE seq > ? AND +model = ? ORDER BY seq", []any{since, number},
		func(r row) error { return f(scanVectors(model, r)) })
}

func (v vectors) Pages(ctx context.Context, model string) ([]int64, error) {
	number, err := v.t.modelRow(ctx, model)
	if err != nil {
		return nil, err
	}
	return pages{v.t}.rows(ctx, "SELECT page FROM vectors WHERE model = ? ORDER BY page", []any{number})
}

func (v vectors) Drop(ctx context.Context, model string) error {
	number, err := v.t.modelRow(ctx, model)
	if err != nil {
		return err
	}
	_, err = v.t.exec(ctx, "DELETE FROM vectors WHERE model = ?", number)
	return err
}

// dropVectors deletes a page's vectors of every model.
func (t *tx) dropVectors(ctx context.Context, page int64) error {
	_, err := t.exec(ctx, "DELETE FROM vectors WHERE model IN (SELECT row FROM models) AND page = ?", page)
	return err
}
