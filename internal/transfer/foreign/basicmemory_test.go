package foreign_test

import (
	"database/sql"
	"path/filepath"
	"slices"
	"testing"

	"github.com/cairn-kb/cairn/internal/kb"
	_ "github.com/cairn-kb/cairn/internal/store/sqlite" // has the driver
	"github.com/cairn-kb/cairn/internal/transfer/foreign"
)

func TestProjects(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "memory #1.db")
	db, err := sql.Open("sqlite", file)
	if err != nil {
		t.Fatal(err)
	}
	for _, statement := range []string{
		"CREATE TABLE project (id INTEGER PRIMARY KEY, name VARCHAR NOT NULL, path VARCHAR NOT NULL, is_active BOOLEAN NOT NULL, is_default BOOLEAN)",
		"INSERT INTO project (name, path, is_active, is_default) VALUES ('main', '/notes', 1, NULL), ('gone', '/gone', 0, 0), ('Kiln Log 窯', '/kiln log', 1, 1)",
	} {
		if _, err := db.Exec(statement); err != nil {
			t.Fatal(err)
		}
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	got, err := foreign.Projects(t.Context(), file)
	if want := []foreign.BasicMemoryProject{{"Kiln Log 窯", "/kiln log", true}, {"main", "/notes", false}}; err != nil || !slices.Equal(got, want) {
		t.Errorf("%+v, %v", got, err)
	}
	if _, err := foreign.Projects(t.Context(), filepath.Join(t.TempDir(), "none.db")); kb.CodeOf(err) != kb.NotFound {
		t.Errorf("of no file: %v", err)
	}
}
