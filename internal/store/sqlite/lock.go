package sqlite

import (
	"context"
	"time"

	"github.com/cairn-kb/cairn/internal/files/fsys"
	"github.com/cairn-kb/cairn/internal/store"
)

// Lock implements store.Engine. A temporary memory has a single user, so it needs no locks.
func (d *DB) Lock(ctx context.Context, name string, mode store.LockMode, wait time.Duration) (unlock func() error, err error) {
	if d.options.temporary {
		return func() error { return nil }, nil
	}
	file := lockFile(d.path, name)
	unlock, err = lockDatabase(ctx, file, mode, store.Patience(ctx, wait))
	return unlock, fsys.Explain(err, "lock %s", file)
}

// mustExist reports whether a missing file is an error.
func (d *DB) mustExist() bool { return d.options.MustExist || d.options.ReadOnly }
