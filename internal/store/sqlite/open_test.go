package sqlite

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/cairn-kb/cairn/internal/store"
)

// open makes a memory in a directory of its own.
func open(t testing.TB) *DB {
	t.Helper()
	return openAt(t, filepath.Join(t.TempDir(), "memory.db"), Options{})
}

func openAt(t testing.TB, path string, o Options) *DB {
	t.Helper()
	db, err := Open(context.Background(), path, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	return db
}

func TestOpenAgainKeepsWhatWasWritten(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a b?c#d%41", "memory.db")
	ctx := context.Background()
	db, err := Open(ctx, path, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := db.Update(ctx, func(tx store.Tx) error { return tx.Settings().Set(ctx, "k", "v") }); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	db = openAt(t, path, Options{MustExist: true})
	err = db.View(ctx, func(tx store.Tx) error {
		got, err := tx.Settings().Get(ctx, "k")
		if got != "v" {
			t.Errorf("got %q", got)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}
