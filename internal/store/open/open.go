package open

import (
	"context"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/store"
	"github.com/cairn-kb/cairn/internal/store/postgres"
	"github.com/cairn-kb/cairn/internal/store/sqlite"
)

// drivers returns the supported databases by the scheme of their URLs; the scheme of file
// databases is "".
func drivers() map[string]store.Driver {
	return map[string]store.Driver{
		"":           sqlite.Driver{},
		"postgres":   postgres.Driver{},
		"postgresql": postgres.Driver{},
	}
}

// driver returns the driver for location; kb.Usage if there is none.
func driver(location string) (store.Driver, error) {
	name := store.Scheme(location)
	d, ok := drivers()[name]
	if !ok {
		return nil, kb.Errorf(kb.Usage, "unsupported database %s://", name).WithHint("Name a file, or a URL that begins with postgres://.")
	}
	return d, nil
}

// Memory opens the memory at location; see store.Driver.
func Memory(ctx context.Context, location string, o store.Options) (store.Engine, error) {
	d, err := driver(location)
	if err != nil {
		return nil, err
	}
	return d.Open(ctx, location, o)
}

// Exists reports whether anything exists at location, a memory or not.
func Exists(ctx context.Context, location string) (bool, error) {
	d, err := driver(location)
	if err != nil {
		return false, err
	}
	return d.Exists(ctx, location)
}

// Temporary returns an empty memory that leaves no files and is removed when it is closed.
// One goroutine may use it at a time.
func Temporary(ctx context.Context, o store.Options) (store.Engine, error) {
	d, err := sqlite.OpenTemporary(ctx, sqlite.Options{Clock: o.Clock})
	if err != nil {
		return nil, err
	}
	return d, nil
}

// Restore replaces the memory at location by a copy of a backup; see store.Restorer.
// kb.Usage if the database has other tools for that.
func Restore(ctx context.Context, location string, r store.RestoreRequest) (store.Restored, error) {
	d, err := driver(location)
	if err != nil {
		return store.Restored{}, err
	}
	restorer, ok := d.(store.Restorer)
	if !ok {
		return store.Restored{}, store.NotOurs(d, location, store.RestoreTask)
	}
	return restorer.Restore(ctx, location, r)
}
