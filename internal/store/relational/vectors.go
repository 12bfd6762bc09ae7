package relational

import (
	"context"
	"slices"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/store"
)

type vectors struct{ t *Tx }

// Both queries about staleness use the written order of the joins (CROSS JOIN): tables are
// then read by ascending rows, mostly sequentially, which is three times as fast as starting
// from documents.

func (v vectors) Stale(ctx context.Context, model, version string, spaces []int64) (out []store.StalePage, err error) {
	number, err := v.t.modelRow(ctx, model)
	if err != nil {
		return nil, err
	}
	args := []any{number, version}
	sql := `SELECT p.row, d.size / count(*) OVER (PARTITION BY d.row), d.version > 1 FROM pages p CROSS JOIN documents d ON d.row = p.document
LEFT JOIN embedded e ON e.model = ? AND e.page = p.row AND e.hash = d.hash AND e.version = ?
WHERE e.page IS NULL`
	if len(spaces) > 0 {
		sql += " AND p.space IN (" + inList(v.t.d, &args, spaces) + ")"
	}
	err = v.t.query(ctx, sql+" ORDER BY p.row", args, func(r Row) error {
		out = append(out, store.StalePage{Row: r.Int(0), Bytes: r.Int(1), Changed: r.Int(2) != 0})
		return nil
	})
	return out, err
}

func (v vectors) Counts(ctx context.Context, model, version string, spaces []int64) (fresh, stale int, err error) {
	number, err := v.t.modelRow(ctx, model)
	if err != nil {
		return 0, 0, err
	}
	var ofPages []any
	args := []any{number, version}
	countAll := "SELECT count(*) FROM pages"
	// The query avoids pages, the largest of the three tables.
	countFresh := `SELECT count(*) FROM embedded e CROSS JOIN documents d ON d.row = e.document
WHERE e.model = ? AND e.hash = d.hash AND e.version = ?`
	if len(spaces) > 0 {
		countAll += " WHERE space IN (" + inList(v.t.d, &ofPages, spaces) + ")"
		countFresh += " AND d.space IN (" + inList(v.t.d, &args, spaces) + ")"
	}
	total := 0
	if _, err = v.t.one(ctx, countAll, ofPages, func(r Row) { total = r.Num(0) }); err != nil {
		return 0, 0, err
	}
	_, err = v.t.one(ctx, countFresh, args, func(r Row) { fresh = r.Num(0) })
	return fresh, total - fresh, err
}

func (v vectors) Put(ctx context.Context, list []store.PageVectors) error {
	b := rebundling{t: v.t}
	for _, pv := range list {
		if len(pv.Info) == 0 {
			return kb.Errorf(kb.Invalid, "vectors need their info")
		}
		number, err := v.t.modelRow(ctx, pv.Model)
		if err != nil {
			return err
		}
		n, err := v.t.change(ctx, `INSERT INTO embedded (model, page, document, hash, version, chunks)
SELECT ?, row, document, ?, ?, ? FROM pages WHERE row = ? ON CONFLICT (model, page)
DO UPDATE SET document = excluded.document, hash = excluded.hash, version = excluded.version, chunks = excluded.chunks`, number, pv.Hash[:], pv.Version, pv.Chunks, pv.Page)
		if err != nil {
			return err
		}
		if n == 0 {
			continue // the page was removed
		}
		if err := b.set(ctx, number, pv.Page, pieces{pv.Info, pv.Values}); err != nil {
			return err
		}
		if err := v.t.keepSpare(ctx, number, pieces{pv.SpareInfo, pv.SpareValues}); err != nil {
			return err
		}
	}
	return b.flush(ctx)
}

func (v vectors) Get(ctx context.Context, model string, page int64) (store.PageVectors, error) {
	out := store.PageVectors{Page: page, Model: model}
	number, err := v.t.modelRow(ctx, model)
	if err != nil {
		return out, err
	}
	found, err := v.t.one(ctx, "SELECT hash, version, chunks FROM embedded WHERE model = ? AND page = ?", []any{number, page},
		func(r Row) { out.Hash, out.Version, out.Chunks = r.Hash(0), r.Text(1), r.Num(2) })
	if err != nil {
		return out, err
	}
	if !found {
		return out, kb.Errorf(kb.NotFound, "the page has no vectors of model %q", model)
	}
	in, place := bundleOf(page)
	b, err := v.t.readBundle(ctx, number, in)
	out.Info, out.Values = b[place].info, b[place].values
	return out, err
}

func (v vectors) Long(ctx context.Context, model string, chunks int) ([]int64, error) {
	number, err := v.t.modelRow(ctx, model)
	if err != nil {
		return nil, err
	}
	return pages{v.t}.rows(ctx, "SELECT page FROM embedded WHERE model = ? AND chunks >= ? ORDER BY page", []any{number, chunks})
}

func (v vectors) Each(ctx context.Context, model string, f func(store.PageVectors) error) error {
	number, err := v.t.modelRow(ctx, model)
	if err != nil {
		return err
	}
	have := int64(-1)
	var b bundle
	return v.t.query(ctx, "SELECT page, hash, version, chunks FROM embedded WHERE model = ? ORDER BY page", []any{number}, func(r Row) error {
		page := r.Int(0)
		in, place := bundleOf(page)
		if in != have {
			if b, err = v.t.readBundle(ctx, number, in); err != nil {
				return err
			}
			have = in
		}
		return f(store.PageVectors{Page: page, Model: model, Hash: r.Hash(1), Version: r.Text(2), Chunks: r.Num(3),
			Info: b[place].info, Values: b[place].values})
	})
}

func (v vectors) Changed(ctx context.Context, model string, since int64, f func(store.Bundle) error) (now int64, bundles int, err error) {
	number, err := v.t.modelRow(ctx, model)
	if err != nil {
		return 0, 0, err
	}
	state := "SELECT (SELECT count(*) FROM bundles WHERE model = ?), coalesce((" + v.t.d.LastBundle + "), 0)"
	if _, err := v.t.one(ctx, state, []any{number}, func(r Row) { bundles, now = r.Num(0), r.Int(1) }); err != nil {
		return 0, 0, err
	}
	// The + keeps SQLite from going through all of the model's bundles by index.
	err = v.t.query(ctx, "SELECT number, bytes FROM bundles WHERE seq > ? AND +model = ? ORDER BY seq", []any{since, number}, func(r Row) error {
		out := store.Bundle{Number: r.Int(0)}
		b, values, ok := decodeBundle(r.Blob(1))
		if !ok {
			if b, err = v.t.damagedBundle(ctx, number, out.Number); err != nil {
				return err
			}
		}
		out.Values = values
		for place, p := range b {
			if len(p.info) > 0 {
				out.Pages = append(out.Pages, store.BundlePage{Page: out.Number<<bundleBits + int64(place), Info: p.info, Size: len(p.values)})
			}
		}
		return f(out)
	})
	return now, bundles, err
}

func (v vectors) Bundles(ctx context.Context, model string) ([]int64, error) {
	number, err := v.t.modelRow(ctx, model)
	if err != nil {
		return nil, err
	}
	return pages{v.t}.rows(ctx, "SELECT number FROM bundles WHERE model = ? ORDER BY number", []any{number})
}

func (v vectors) Drop(ctx context.Context, model string) error {
	number, err := v.t.modelRow(ctx, model)
	if err != nil {
		return err
	}
	return v.t.dropModelVectors(ctx, number)
}

// dropModelVectors deletes all vectors of a model.
func (t *Tx) dropModelVectors(ctx context.Context, model int64) error {
	if err := t.exec(ctx, "DELETE FROM embedded WHERE model = ?", model); err != nil {
		return err
	}
	if err := t.exec(ctx, "DELETE FROM spare_vectors WHERE model = ?", model); err != nil {
		return err
	}
	err := t.exec(ctx, "DELETE FROM bundles WHERE model = ?", model)
	return err
}

// dropVectors turns the vectors of pages, of every model, into spare ones.
func (t *Tx) dropVectors(ctx context.Context, list []int64) error {
	models, err := pages{t}.rows(ctx, "SELECT row FROM models", nil)
	if err != nil {
		return err
	}
	list = slices.Sorted(slices.Values(list))
	b := rebundling{t: t}
	for _, model := range models {
		for _, page := range list {
			n, err := t.change(ctx, "DELETE FROM embedded WHERE model = ? AND page = ?", model, page)
			if err != nil {
				return err
			}
			if n == 0 {
				continue
			}
			had, err := b.get(ctx, model, page)
			if err != nil {
				return err
			}
			if err := t.keepSpare(ctx, model, had); err != nil {
				return err
			}
			if err := b.set(ctx, model, page, pieces{}); err != nil {
				return err
			}
		}
	}
	return b.flush(ctx)
}

// outdateVectors makes a page stale for every model, regardless of its
// document. No document has the empty hash.
func (t *Tx) outdateVectors(ctx context.Context, page int64) error {
	// By model, since the table is read by model and page.
	err := t.exec(ctx, "UPDATE embedded SET hash = "+t.d.NoBytes+" WHERE model IN (SELECT row FROM models) AND page = ?", page)
	return err
}
