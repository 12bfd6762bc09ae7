package relational

import (
	"context"
	"time"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/store"
)

// batches implements store.Batches.
type batches struct{ t *Tx }

var _ store.Batches = batches{}

// Add implements store.Batches.
func (b batches) Add(ctx context.Context, batch *kb.Batch, items []store.BatchItem) error {
	var plan any
	if !batch.Plan.IsZero() {
		plan = batch.Plan[:]
	}
	row, err := b.t.insert(ctx, "batches", nil, "INSERT INTO batches (row, id, space, kind, source, plan, created, items) VALUES (?, ?, ?, ?, ?, ?, ?, 0)",
		batch.ID, batch.Space, batch.Kind, batch.Source, plan, batch.Created.UnixMicro())
	if err != nil {
		return err
	}
	batch.Row, batch.Items = row, len(items)
	return b.Append(ctx, batch.Row, items)
}

// Append implements store.Batches.
func (b batches) Append(ctx context.Context, batch int64, items []store.BatchItem) error {
	for _, it := range items {
		stored, err := b.t.one(ctx, "SELECT 1 FROM blobs WHERE hash = ?", []any{it.Hash[:]}, func(Row) {})
		if err == nil && !stored {
			err = b.t.putBlob(ctx, it.Hash, it.Bytes)
		}
		if err == nil {
			err = b.t.exec(ctx, "INSERT INTO batch_items (batch, path, page, hash) VALUES (?, ?, ?, ?)", batch, it.Path, string(it.Page), it.Hash[:])
		}
		if err != nil {
			return err
		}
	}
	err := b.t.exec(ctx, "UPDATE batches SET items = items + ? WHERE row = ?", len(items), batch)
	return err
}

// SetPage implements store.Batches.
func (b batches) SetPage(ctx context.Context, batch int64, path string, page kb.ID) error {
	err := b.t.exec(ctx, "UPDATE batch_items SET page = ? WHERE batch = ? AND path = ?", string(page), batch, path)
	return err
}

// Remove implements store.Batches.
func (b batches) Remove(ctx context.Context, batch int64) error {
	err := b.t.exec(ctx, "DELETE FROM batches WHERE row = ?", batch)
	return err
}

// Rename implements store.Batches.
func (b batches) Rename(ctx context.Context, batch int64, source string) error {
	err := b.t.exec(ctx, "UPDATE batches SET source = ? WHERE row = ?", source, batch)
	return err
}

const batchColumns = "SELECT b.row, b.id, b.space, b.kind, b.source, b.plan, b.created, b.items FROM batches b"

func (b batches) batches(ctx context.Context, sql string, args []any) (out []kb.Batch, err error) {
	err = b.t.query(ctx, sql, args, func(r Row) error {
		out = append(out, kb.Batch{
			Row: r.Int(0), ID: r.Text(1), Space: r.Int(2), Kind: r.Text(3), Source: r.Text(4), Plan: r.Hash(5),
			Created: time.UnixMicro(r.Int(6)).UTC(), Items: r.Num(7),
		})
		return nil
	})
	return out, err
}

// List implements store.Batches.
func (b batches) List(ctx context.Context, spaces []int64, limit, offset int) ([]kb.Batch, int, error) {
	var (
		args  []any
		where string
		total int
	)
	if len(spaces) > 0 {
		where = " WHERE b.space IN (" + inList(b.t.d, &args, spaces) + ")"
	}
	err := b.t.query(ctx, "SELECT count(*) FROM batches b"+where, args, func(r Row) error {
		total = r.Num(0)
		return nil
	})
	if err != nil {
		return nil, 0, err
	}
	out, err := b.batches(ctx, batchColumns+where+" ORDER BY b.created DESC, b.row DESC"+limitSQL(limit, offset), args)
	return out, total, err
}

// ByID implements store.Batches.
func (b batches) ByID(ctx context.Context, id string) (kb.Batch, error) {
	found, err := b.batches(ctx, batchColumns+" WHERE b.id = ?", []any{id})
	if err == nil && len(found) == 0 {
		err = kb.Errorf(kb.NotFound, "there is no batch %q", id)
	}
	if err != nil {
		return kb.Batch{}, err
	}
	return found[0], nil
}

// Same implements store.Batches.
func (b batches) Same(ctx context.Context, space int64, kind string, bytes kb.Hash) ([]kb.Batch, error) {
	return b.batches(ctx, batchColumns+" JOIN batch_items i ON i.batch = b.row WHERE i.hash = ? AND b.space = ? AND b.kind = ? ORDER BY b.row DESC",
		[]any{bytes[:], space, kind})
}

// Has implements store.Batches.
func (b batches) Has(ctx context.Context, page kb.ID, bytes kb.Hash) (has bool, err error) {
	err = b.t.query(ctx, "SELECT 1 FROM batch_items WHERE hash = ? AND page = ? LIMIT 1", []any{bytes[:], string(page)}, func(Row) error {
		has = true
		return nil
	})
	return has, err
}

// Items implements store.Batches.
func (b batches) Items(ctx context.Context, batch int64, f func(store.BatchItem) error) error {
	return b.t.query(ctx, "SELECT path, page, hash FROM batch_items WHERE batch = ? ORDER BY path", []any{batch}, func(r Row) error {
		return f(store.BatchItem{Path: r.Text(0), Page: kb.ID(r.Text(1)), Hash: r.Hash(2)})
	})
}
