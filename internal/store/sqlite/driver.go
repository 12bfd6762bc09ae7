package sqlite

import (
	"context"

	"github.com/cairn-kb/cairn/internal/files/fsys"
	"github.com/cairn-kb/cairn/internal/store"
)

// Driver opens memories in SQLite files. Locations are absolute paths.
type Driver struct{}

var (
	_ store.Driver   = Driver{}
	_ store.Restorer = Driver{}
)

// Open implements store.Driver.
func (Driver) Open(ctx context.Context, path string, o store.Options) (store.Engine, error) {
	d, err := Open(ctx, path, Options{Clock: o.Clock, Host: o.Host, MustExist: o.MustExist, ReadOnly: o.ReadOnly})
	if err != nil {
		return nil, err
	}
	return d, nil
}

// Exists implements store.Driver.
func (Driver) Exists(_ context.Context, path string) (bool, error) { return fsys.Exists(path), nil }
