package sqlite

import (
	"context"

	"github.com/cairn-kb/cairn/internal/store"
)

type failures struct{ t *tx }

func (s failures) All(ctx context.Context, space int64) ([]store.Failure, error) {
	var out []store.Failure
	err := s.t.query(ctx, `SELECT path, reason, count, size, mod_time_ns, last
FROM failures WHERE space = ? ORDER BY path`, []any{space}, func(r row) error {
		out = append(out, store.Failure{
			Space: space, Path: r.text(0), Reason: r.text(1), Count: r.num(2),
			Size: r.int(3), ModTime: r.timeNS(4), Last: r.time(5),
		})
		return nil
	})
	return out, err
}

func (s failures) Put(ctx context.Context, f store.Failure) error {
	_, err := s.t.exec(ctx, `INSERT OR REPLACE INTO failures (space, path, reason, count, size, mod_time_ns, last)
VALUES (?, ?, ?, ?, ?, ?, ?)`, f.Space, f.Path, f.Reason, f.Count, f.Size, nanos(f.ModTime), micros(f.Last))
	return err
}

func (s failures) Clear(ctx context.Context, space int64, path string) error {
	_, err := s.t.exec(ctx, "DELETE FROM failures WHERE space = ? AND path = ?", space, path)
	return err
}
