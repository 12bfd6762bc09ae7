package foreign_test

import (
	"database/sql"
	"os"
	"path/filepath"
	"slices"
	"testing"

	_ "github.com/cairn-kb/cairn/internal/store/sqlite" // has the driver
	"github.com/cairn-kb/cairn/internal/transfer/foreign"
	"github.com/cairn-kb/cairn/internal/transfer/foreign/foreigntest"
)

// A database is read whatever its path holds and however it was left, in the state that was
// committed, and no file next to it is made or changed.
func TestRead(t *testing.T) {
	t.Parallel()
	const first, committed = "Two suppliers", "Three suppliers"
	for name, c := range map[string]struct {
		setup string // before the state is copied
		want  string
		left  string // of the index of the log
	}{
		"closed":               {"", first, ""},
		"with a log":           {"PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0; UPDATE nodes SET title = 'Three suppliers'", committed, ""},
		"killed with a log":    {"PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0; UPDATE nodes SET title = 'Three suppliers'", committed, "-shm"},
		"killed while writing": {"PRAGMA journal_mode = DELETE; PRAGMA cache_size = 1; BEGIN; UPDATE nodes SET title = 'Half'; CREATE TABLE filler (b); INSERT INTO filler VALUES (zeroblob(400000)), (zeroblob(400000))", first, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			from := filepath.Join(t.TempDir(), "kt.db")
			if err := foreigntest.Sample(t.Context(), from); err != nil {
				t.Fatal(err)
			}
			db, err := sql.Open("sqlite", from)
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = db.Close() }()
			db.SetMaxOpenConns(1)
			if _, err := db.ExecContext(t.Context(), c.setup); err != nil {
				t.Fatal(err)
			}
			to := filepath.Join(t.TempDir(), "a?b#c%20 ü.db")
			for _, suffix := range []string{"", "-wal", "-journal", c.left} {
				if text, err := os.ReadFile(from + suffix); err == nil {
					err = os.WriteFile(to+suffix, text, 0o600)
					if err != nil {
						t.Fatal(err)
					}
				}
			}
			before := content(t, filepath.Dir(to))
			if want := 2 + len(c.left)/len("-shm"); c.setup != "" && len(before) != want {
				t.Fatalf("the state has no log: %d files", len(before))
			}
			s, err := foreign.Read(t.Context(), to)
			if err != nil {
				t.Fatal(err)
			}
			if i := slices.IndexFunc(s.Nodes, func(n foreign.Node) bool { return n.ID == "kt-a1b2" }); i < 0 || s.Nodes[i].Title != c.want {
				t.Errorf("read %+v", s.Nodes)
			}
			if after := content(t, filepath.Dir(to)); !slices.Equal(before, after) {
				t.Error("files next to the database changed")
			}
		})
	}
}

// content lists the files of a directory with their bytes.
func content(t *testing.T, dir string) (out []string) {
	t.Helper()
	files, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		text, err := os.ReadFile(filepath.Join(dir, f.Name()))
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, f.Name()+"\x00"+string(text))
	}
	return out
}
