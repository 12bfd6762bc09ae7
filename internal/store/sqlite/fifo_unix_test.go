//go:build unix

package sqlite_test

import (
	"path/filepath"
	"syscall"
	"testing"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/store/sqlite"
)

// SQLite would wait forever for a journal that is a FIFO.
func TestOpenWithJournalOfNoFile(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "memory.db")
	db, err := sqlite.Open(t.Context(), path, sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(path+"-journal", 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := sqlite.Open(t.Context(), path, sqlite.Options{}); kb.AsError(err).Reason != kb.NotAFile {
		t.Errorf("opened: %v", err)
	}
}
