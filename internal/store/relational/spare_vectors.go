package relational

import (
	"context"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/store"
)

// keepSpare adds vectors without a page, and deletes the oldest ones beyond
// store.SpareBytes. Sizes count the values only.
func (t *Tx) keepSpare(ctx context.Context, model int64, p pieces) error {
	if len(p.values) == 0 || len(p.values) > store.SpareBytes {
		return nil
	}
	if err := t.exec(ctx, "INSERT INTO spare_vectors (upto, model, info, vals, size) SELECT coalesce(max(upto), 0) + ?, ?, ?, ?, ? FROM spare_vectors",
		len(p.values), model, p.info, p.values, len(p.values)); err != nil {
		return err
	}
	err := t.exec(ctx, "DELETE FROM spare_vectors WHERE upto <= (SELECT max(upto) FROM spare_vectors) - ?", store.SpareBytes)
	return err
}

func (v vectors) Spare(ctx context.Context, model string, f func(key int64, info []byte) error) error {
	number, err := v.t.modelRow(ctx, model)
	if err != nil {
		return err
	}
	return v.t.query(ctx, "SELECT upto, info FROM spare_vectors WHERE model = ? ORDER BY upto DESC", []any{number},
		func(r Row) error { return f(r.Int(0), r.Blob(1)) })
}

func (v vectors) SpareValues(ctx context.Context, key int64) (values []byte, err error) {
	found, err := v.t.one(ctx, "SELECT vals FROM spare_vectors WHERE upto = ?", []any{key}, func(r Row) { values = r.Blob(0) })
	if err == nil && !found {
		return nil, kb.Errorf(kb.NotFound, "there are no spare vectors %d", key)
	}
	return values, err
}

func (v vectors) ForgetSpare(ctx context.Context) error {
	err := v.t.exec(ctx, "DELETE FROM spare_vectors")
	return err
}
