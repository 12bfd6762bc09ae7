package sqlite

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/cairn-kb/cairn/internal/store"
	"github.com/cairn-kb/cairn/internal/store/storetest"
)

func TestContract(t *testing.T) {
	t.Parallel()
	empty := emptyMemory(t)
	storetest.Run(t, func(t *testing.T, dir string) store.Engine {
		path := filepath.Join(dir, "memory.db")
		if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
			if err := os.WriteFile(path, empty, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		return openAt(t, path, Options{})
	})
}

// emptyMemory returns the bytes of a new memory: to copy them is much quicker than
// to run all migrations again.
func emptyMemory(t *testing.T) []byte {
	t.Helper()
	path := filepath.Join(t.TempDir(), "memory.db")
	db, err := Open(t.Context(), path, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return text
}
