package foreign_test

import (
	"database/sql"
	"os"
	"path/filepath"
	"testing"

	_ "github.com/cairn-kb/cairn/internal/store/sqlite" // has the driver
	"github.com/cairn-kb/cairn/internal/transfer/foreign"
)

// A database is read whatever its path holds, and stays as it is.
func TestOpen(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "a?b#c%20 ü.db")
	made := filepath.Join(t.TempDir(), "made.db")
	db, err := sql.Open("sqlite", made)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := db.ExecContext(t.Context(), "CREATE TABLE a (b); INSERT INTO a VALUES (42)"); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(made, file); err != nil {
		t.Fatal(err)
	}
	for _, unchanging := range []bool{false, true} {
		db, err := foreign.Open(file, unchanging)
		if err != nil {
			t.Fatal(err)
		}
		var b int
		if err := db.QueryRowContext(t.Context(), "SELECT b FROM a").Scan(&b); err != nil || b != 42 {
			t.Errorf("unchanging %v: read %d, %v", unchanging, b, err)
		}
		if _, err := db.ExecContext(t.Context(), "INSERT INTO a VALUES (1)"); err == nil {
			t.Errorf("unchanging %v: it was written to", unchanging)
		}
		var trusted int
		if err := db.QueryRowContext(t.Context(), "PRAGMA trusted_schema").Scan(&trusted); err != nil || trusted != 0 {
			t.Errorf("unchanging %v: trusted_schema is %d, %v", unchanging, trusted, err)
		}
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	}
	if files, err := os.ReadDir(filepath.Dir(file)); err != nil || len(files) != 1 {
		t.Errorf("beside the database are %v, %v", files, err)
	}
}
