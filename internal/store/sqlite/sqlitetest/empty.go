// Package sqlitetest makes databases for tests quickly. Only tests import it.
package sqlitetest

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/cairn-kb/cairn/internal/store/sqlite"
)

// WriteEmpty writes an empty memory to a path without a file. Creating one takes 20 times as
// long, because of the statements of its schema.
func WriteEmpty(t testing.TB, path string) {
	t.Helper()
	bytes, err := empty()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, bytes, 0o600); err != nil {
		t.Fatal(err)
	}
}

// empty creates a database once per process.
var empty = sync.OnceValues(func() (bytes []byte, err error) {
	dir, err := os.MkdirTemp("", "cairn-empty-")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	path := filepath.Join(dir, "memory.db")
	db, err := sqlite.Open(context.Background(), path, sqlite.Options{})
	if err != nil {
		return nil, err
	}
	_, err = db.Compact(context.Background())
	if err = errors.Join(err, db.Close()); err != nil {
		return nil, err
	}
	return os.ReadFile(path)
})
