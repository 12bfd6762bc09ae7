package fsys_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/cairn-kb/cairn/internal/files/fsys"
)

func TestExistsAndSameFile(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file, other, link, stray := filepath.Join(dir, "file"), filepath.Join(dir, "other"), filepath.Join(dir, "link"), filepath.Join(dir, "stray")
	for _, name := range []string{file, other} {
		if err := os.WriteFile(name, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for name, to := range map[string]string{link: file, stray: filepath.Join(dir, "none")} {
		if err := os.Symlink(to, name); err != nil {
			t.Fatal(err)
		}
	}
	if !fsys.Exists(stray) || fsys.Exists(filepath.Join(dir, "none")) {
		t.Error("a link that leads nowhere is there, and where it leads is not")
	}
	if !fsys.SameFile(file, link) || fsys.SameFile(file, other) || fsys.SameFile(stray, stray) {
		t.Error("a link and its file are the same, two files are not, and what is not there is nothing")
	}
}
