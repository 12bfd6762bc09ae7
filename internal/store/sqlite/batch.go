package sqlite

import (
	"context"
	"database/sql/driver"
	"time"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/store"
)

// Tx runs statements in a transaction.
type BatchTx interface {
	Query(ctx context.Context, sql string, args []any, f func([]driver.Value) error) error
	Exec(ctx context.Context, sql string, args ...any) error
	// Keep stores bytes under their hash, which is not there yet.
	Keep(ctx context.Context, hash kb.Hash, bytes []byte) error
}

// Batches implements store.Batches.
type Batches struct{ Tx BatchTx }

var _ store.Batches = Batches{}

func batchText(v driver.Value) string { s, _ := v.(string); return s }
func batchNum(v driver.Value) int64   { n, _ := v.(int64); return n }

func hash(v driver.Value) (h kb.Hash) {
	b, _ := v.([]byte)
	copy(h[:], b)
	return h
}

// Add implements store.Batches.
func (b Batches) Add(ctx context.Context, batch *kb.Batch, items []store.BatchItem) error {
	var plan any
	if !batch.Plan.IsZero() {
		plan = batch.Plan[:]
	}
	err := b.Tx.Exec(ctx, "INSERT INTO batches (id, space, kind, source, plan, created, items) VALUES (?, ?, ?, ?, ?, ?, 0)",
		batch.ID, batch.Space, batch.Kind, batch.Source, plan, batch.Created.UnixMicro())
	if err != nil {
		return err
	}
	made, err := b.ByID(ctx, batch.ID)
	if err != nil {
		return err
	}
	batch.Row, batch.Items = made.Row, len(items)
	return b.Append(ctx, batch.Row, items)
}

// Append implements store.Batches.
func (b Batches) Append(ctx context.Context, row int64, items []store.BatchItem) error {
	for _, it := range items {
		there := false
		err := b.Tx.Query(ctx, "SELECT 1 FROM blobs WHERE hash = ?", []any{it.Hash[:]}, func([]driver.Value) error {
			there = true
			return nil
		})
		if err == nil && !there {
			err = b.Tx.Keep(ctx, it.Hash, it.Bytes)
		}
		if err == nil {
			err = b.Tx.Exec(ctx, "INSERT INTO batch_items (batch, path, page, hash) VALUES (?, ?, ?, ?)", row, it.Path, string(it.Page), it.Hash[:])
		}
		if err != nil {
			return err
		}
	}
	return b.Tx.Exec(ctx, "UPDATE batches SET items = items + ? WHERE row = ?", len(items), row)
}

// SetPage implements store.Batches.
func (b Batches) SetPage(ctx context.Context, row int64, path string, page kb.ID) error {
	return b.Tx.Exec(ctx, "UPDATE batch_items SET page = ? WHERE batch = ? AND path = ?", string(page), row, path)
}

// Remove implements store.Batches.
func (b Batches) Remove(ctx context.Context, row int64) error {
	return b.Tx.Exec(ctx, "DELETE FROM batches WHERE row = ?", row)
}

// Rename implements store.Batches.
func (b Batches) Rename(ctx context.Context, row int64, source string) error {
	return b.Tx.Exec(ctx, "UPDATE batches SET source = ? WHERE row = ?", source, row)
}

const columns = "SELECT b.row, b.id, b.space, b.kind, b.source, b.plan, b.created, b.items FROM batches b"

func (b Batches) batches(ctx context.Context, sql string, args []any) (out []kb.Batch, err error) {
	err = b.Tx.Query(ctx, sql, args, func(r []driver.Value) error {
		out = append(out, kb.Batch{
			Row: batchNum(r[0]), ID: batchText(r[1]), Space: batchNum(r[2]), Kind: batchText(r[3]), Source: batchText(r[4]), Plan: hash(r[5]),
			Created: time.UnixMicro(batchNum(r[6])).UTC(), Items: int(batchNum(r[7])),
		})
		return nil
	})
	return out, err
}

// List implements store.Batches.
func (b Batches) List(ctx context.Context, spaces []int64, limit, offset int) ([]kb.Batch, int, error) {
	var (
		args  []any
		where string
		total int
	)
	if len(spaces) > 0 {
		where = " WHERE b.space IN (" + In(&args, spaces) + ")"
	}
	err := b.Tx.Query(ctx, "SELECT count(*) FROM batches b"+where, args, func(r []driver.Value) error {
		total = int(batchNum(r[0]))
		return nil
	})
	if err != nil {
		return nil, 0, err
	}
	out, err := b.batches(ctx, columns+where+" ORDER BY b.created DESC, b.row DESC LIMIT ? OFFSET ?", append(args, limit, offset))
	return out, total, err
}

// ByID implements store.Batches.
func (b Batches) ByID(ctx context.Context, id string) (kb.Batch, error) {
	found, err := b.batches(ctx, columns+" WHERE b.id = ?", []any{id})
	if err == nil && len(found) == 0 {
		err = kb.Errorf(kb.NotFound, "there is no batch %q", id)
	}
	if err != nil {
		return kb.Batch{}, err
	}
	return found[0], nil
}

// Same implements store.Batches.
func (b Batches) Same(ctx context.Context, space int64, kind string, bytes kb.Hash) ([]kb.Batch, error) {
	return b.batches(ctx, columns+" JOIN batch_items i ON i.batch = b.row WHERE i.hash = ? AND b.space = ? AND b.kind = ? ORDER BY b.row DESC",
		[]any{bytes[:], space, kind})
}

// Items implements store.Batches.
func (b Batches) Items(ctx context.Context, row int64, f func(store.BatchItem) error) error {
	return b.Tx.Query(ctx, "SELECT path, page, hash FROM batch_items WHERE batch = ? ORDER BY path", []any{row}, func(r []driver.Value) error {
		return f(store.BatchItem{Path: batchText(r[0]), Page: kb.ID(batchText(r[1])), Hash: hash(r[2])})
	})
}
