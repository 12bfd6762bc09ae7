package fsys_test

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cairn-kb/cairn/internal/files/fsys"
)

func TestLooseFilesAreFoundAndTightened(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("permissions are kept otherwise here")
	}
	dir := t.TempDir()
	db := filepath.Join(dir, "memory.db")
	for name, mode := range map[string]os.FileMode{
		"memory.db": 0o600, "memory.db-wal": 0o644, "memory.db.locks/a.lock": 0o666, "other": 0o644,
	} {
		path := filepath.Join(dir, name)
		must(t, os.MkdirAll(filepath.Dir(path), 0o700))
		must(t, os.WriteFile(path, nil, mode))
		must(t, os.Chmod(path, mode)) // whatever the umask
	}
	must(t, os.Chmod(filepath.Join(dir, "memory.db.locks"), 0o755))
	must(t, os.Symlink(filepath.Join(dir, "other"), filepath.Join(dir, "memory.db-link")))
	loose, err := fsys.LooseBeside(db)
	must(t, err)
	want := []fsys.Loose{{db + "-wal", 0o644}, {db + ".locks", 0o755}, {filepath.Join(db+".locks", "a.lock"), 0o666}}
	if d := cmp.Diff(want, loose); d != "" {
		t.Error(d)
	}
	must(t, fsys.Tighten(append(loose, fsys.Loose{Path: filepath.Join(dir, "gone"), Mode: 0o644})))
	if loose, err = fsys.LooseBeside(db); err != nil || loose != nil {
		t.Errorf("left: %v, %v", loose, err)
	}
	for name, want := range map[string]os.FileMode{"memory.db": 0o600, "memory.db-wal": 0o600, "memory.db.locks": 0o700, "other": 0o644} {
		info, err := os.Stat(filepath.Join(dir, name))
		must(t, err)
		if info.Mode().Perm() != want {
			t.Errorf("%s has mode %04o, want %04o", name, info.Mode().Perm(), want)
		}
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
