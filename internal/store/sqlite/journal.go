package sqlite

import (
	"context"

	"github.com/cairn-kb/cairn/internal/store"
)

type journal struct{ t *tx }

func (j journal) Append(ctx context.Context, record []byte) (int64, error) {
	return j.t.insert(ctx, "INSERT INTO journal (record) VALUES (coalesce(?, x''))", record)
}

func (j journal) Clear(ctx context.Context, id int64) error {
	_, err := j.t.exec(ctx, "DELETE FROM journal WHERE id = ?", id)
	return err
}

func (j journal) Pending(ctx context.Context) ([]store.JournalEntry, error) {
	var out []store.JournalEntry
	err := j.t.query(ctx, "SELECT id, record FROM journal ORDER BY id", nil, func(r row) error {
		out = append(out, store.JournalEntry{ID: r.int(0), Record: r.blob(1)})
		return nil
	})
	return out, err
}
