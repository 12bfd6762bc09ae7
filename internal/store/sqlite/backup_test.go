package sqlite

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/cairn-kb/cairn/internal/files/fsys"
)

// What a killed backup left elsewhere goes with the next who has the memory to
// himself, and not while somebody may be making it.
func TestKilledBackupGoes(t *testing.T) {
	t.Parallel()
	path, part := filepath.Join(t.TempDir(), "m.db"), filepath.Join(t.TempDir(), "copy.db"+PartSuffix)
	mine, theirs := filepath.Join(filepath.Dir(part), "mine.db"), filepath.Join(filepath.Dir(part), "film.mkv"+PartSuffix)
	notes := func() int {
		all, err := filepath.Glob(filepath.Join(path+".locks", "copying.*"))
		if err != nil {
			t.Fatal(err)
		}
		return len(all)
	}
	d := openAt(t, path, Options{})
	if err := d.Backup(t.Context(), filepath.Join(t.TempDir(), "whole.db")); err != nil || notes() != 0 {
		t.Fatalf("%v, %d notes", err, notes())
	}
	for name, text := range map[string]string{part: "SQLite format 3\x00half", part + "-journal": "half", mine: "SQLite format 3\x00", theirs: "half of another program's file"} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if name != part+"-journal" {
			claimPart(t.Context(), path, name) // whoever does is killed
		}
	}
	if err := openAt(t, path, Options{}).Close(); err != nil || !fsys.Exists(part) {
		t.Fatalf("another handle took it away: %v", err)
	}
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	if err := openAt(t, path, Options{}).Close(); err != nil {
		t.Fatal(err)
	}
	if fsys.Exists(part) || fsys.Exists(part+"-journal") || !fsys.Exists(mine) || !fsys.Exists(theirs) || notes() != 0 {
		t.Errorf("part %t, its journal %t, other files %t and %t, %d notes", fsys.Exists(part), fsys.Exists(part+"-journal"), fsys.Exists(mine), fsys.Exists(theirs), notes())
	}
}
