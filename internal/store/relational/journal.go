package relational

import (
	"context"

	"github.com/cairn-kb/cairn/internal/store"
)

type journal struct{ t *Tx }

func (j journal) Append(ctx context.Context, record []byte) (int64, error) {
	return j.t.insert(ctx, "journal", nil, "INSERT INTO journal (id, record) VALUES (?, "+j.t.blobValue(record)+")", record)
}

// maxParts is larger than the number of parts of any record. The numbers of parts are
// negative, so that they are not taken for records.
const maxParts = 1 << 20

func (j journal) AppendPart(ctx context.Context, id int64, n int, part []byte) error {
	return j.t.exec(ctx, "INSERT INTO journal (id, record) VALUES (?, ?)", -id*maxParts-int64(n), part)
}

func (j journal) Parts(ctx context.Context, id int64, f func([]byte) error) error {
	return j.t.query(ctx, "SELECT record FROM journal WHERE id BETWEEN ? AND ? ORDER BY id DESC", []any{-(id + 1) * maxParts, -id * maxParts}, func(r Row) error {
		return f(r.Blob(0))
	})
}

func (j journal) Clear(ctx context.Context, id int64) error {
	return j.t.exec(ctx, "DELETE FROM journal WHERE id = ? OR id BETWEEN ? AND ?", id, -(id+1)*maxParts, -id*maxParts)
}

func (j journal) Pending(ctx context.Context) ([]store.JournalEntry, error) {
	var out []store.JournalEntry
	err := j.t.query(ctx, "SELECT id, record FROM journal WHERE id > 0 ORDER BY id", nil, func(r Row) error {
		out = append(out, store.JournalEntry{ID: r.Int(0), Record: r.Blob(1)})
		return nil
	})
	return out, err
}
