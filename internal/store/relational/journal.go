package relational

import (
	"context"

	"github.com/cairn-kb/cairn/internal/store"
)

type journal struct{ t *Tx }

func (j journal) Append(ctx context.Context, record []byte) (int64, error) {
	return j.t.insert(ctx, "journal", nil, "INSERT INTO journal (id, record) VALUES (?, "+j.t.blobValue(record)+")", record)
}

func (j journal) Clear(ctx context.Context, id int64) error {
	err := j.t.exec(ctx, "DELETE FROM journal WHERE id = ?", id)
	return err
}

func (j journal) Pending(ctx context.Context) ([]store.JournalEntry, error) {
	var out []store.JournalEntry
	err := j.t.query(ctx, "SELECT id, record FROM journal ORDER BY id", nil, func(r Row) error {
		out = append(out, store.JournalEntry{ID: r.Int(0), Record: r.Blob(1)})
		return nil
	})
	return out, err
}
