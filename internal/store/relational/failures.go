package relational

import (
	"context"

	"github.com/cairn-kb/cairn/internal/store"
)

type failures struct{ t *Tx }

func (s failures) All(ctx context.Context, space int64) ([]store.Failure, error) {
	var out []store.Failure
	err := s.t.query(ctx, `SELECT path, reason, count, size, mod_time_ns, last
FROM failures WHERE space = ? ORDER BY path`, []any{space}, func(r Row) error {
		out = append(out, store.Failure{
			Space: space, Path: r.Text(0), Reason: r.Text(1), Count: r.Num(2),
			Size: r.Int(3), ModTime: r.TimeNS(4), Last: r.Time(5),
		})
		return nil
	})
	return out, err
}

func (s failures) Put(ctx context.Context, f store.Failure) error {
	err := s.t.exec(ctx, `INSERT INTO failures (space, path, reason, count, size, mod_time_ns, last)
VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT (space, path) DO UPDATE SET reason = excluded.reason, count = excluded.count,
size = excluded.size, mod_time_ns = excluded.mod_time_ns, last = excluded.last`, f.Space, f.Path, f.Reason, f.Count, f.Size, nanos(f.ModTime), micros(f.Last))
	return err
}

func (s failures) Clear(ctx context.Context, space int64, path string) error {
	err := s.t.exec(ctx, "DELETE FROM failures WHERE space = ? AND path = ?", space, path)
	return err
}
