//go:build unix

package vault_test

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"

	"github.com/cairn-kb/cairn/internal/files/vault"
)

// The same on a real file system, with what only that can hold.
func TestScanDir(t *testing.T) {
	t.Parallel()
	outside := t.TempDir()
	put(t, outside, "secret.md", "")
	dir := t.TempDir()
	put(t, dir, "a.md", "text")
	put(t, dir, "d/b.md", "")
	put(t, dir, "big.md", "")
	err := errors.Join(
		os.Truncate(filepath.Join(dir, "big.md"), vault.DefaultMaxBytes+1),
		syscall.Mkfifo(filepath.Join(dir, "pipe.md"), 0o600),
		os.Symlink(outside, filepath.Join(dir, "out")),
		os.Symlink(filepath.Join(outside, "secret.md"), filepath.Join(dir, "secret.md")),
		os.Symlink(filepath.Join("..", filepath.Base(outside), "secret.md"), filepath.Join(dir, "relative.md")),
		os.Symlink("d", filepath.Join(dir, "in")),
		os.Symlink("loop", filepath.Join(dir, "loop")),
	)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"big.md: too_large", "in: link_inside", "out: link_outside", "pipe.md: special", "relative.md: link_outside", "secret.md: link_outside"}
	if runtime.GOOS == "linux" { // other systems refuse such names
		put(t, dir, "latin\xe9.md", "")
		put(t, dir, "latin\xe9/c.md", "")
		put(t, dir, "latin\xe9.txt", "")
		want = append([]string{want[0], want[1], "latin\uFFFD: name_not_utf8", "latin\uFFFD.md: name_not_utf8"}, want[2:]...)
	}
	rules := vault.Rules{Extensions: []string{".md"}}
	list, err := vault.Scan(t.Context(), openDir(t, dir), rules)
	if err != nil {
		t.Fatal(err)
	}
	wantLines(t, "files", filePaths(list), []string{"a.md", "d/b.md"})
	wantLines(t, "skipped", skips(list), want)
	info, err := os.Stat(filepath.Join(dir, "a.md"))
	if err != nil {
		t.Fatal(err)
	}
	if f := list.Files[0]; f.Size != 4 || f.ModTime != info.ModTime().UnixNano() {
		t.Errorf("file %+v", f)
	}
}
