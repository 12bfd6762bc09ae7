package relational

import (
	"context"
)

type settings struct{ t *Tx }

func (s settings) Get(ctx context.Context, key string) (string, error) {
	var value string
	_, err := s.t.one(ctx, "SELECT value FROM settings WHERE key = ?", []any{key}, func(r Row) { value = r.Text(0) })
	return value, err
}

func (s settings) Set(ctx context.Context, key, value string) error {
	if value == "" {
		err := s.t.exec(ctx, "DELETE FROM settings WHERE key = ?", key)
		return err
	}
	err := s.t.exec(ctx, "INSERT INTO settings VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value", key, value)
	return err
}

func (s settings) All(ctx context.Context) (map[string]string, error) {
	all := make(map[string]string)
	err := s.t.query(ctx, "SELECT key, value FROM settings", nil, func(r Row) error {
		all[r.Text(0)] = r.Text(1)
		return nil
	})
	return all, err
}
