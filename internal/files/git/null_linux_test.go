package git_test

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/cairn-kb/cairn/internal/files/git"
)

// A sandbox mounts the null device over files of the repository, which reads as empty ones.
func TestRepositoryWithNullDevices(t *testing.T) {
	t.Parallel()
	null, err := os.Stat(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	device := func(at string) error {
		return syscall.Mknod(at, syscall.S_IFCHR|0o666, int(null.Sys().(*syscall.Stat_t).Rdev))
	}
	if err := device(filepath.Join(t.TempDir(), "null")); err != nil {
		device = func(at string) error { return os.Symlink(os.DevNull, at) } // only root makes devices
	}
	b := newBed(t)
	for _, file := range []string{".gitmodules", ".git/config.worktree", ".git/info/exclude", ".git/info/attributes"} {
		at := filepath.Join(b.top, filepath.FromSlash(file))
		if err := os.RemoveAll(at); err != nil {
			t.Fatal(err)
		}
		if err := device(at); err != nil {
			t.Fatal(err)
		}
	}
	tree := &git.Tree{Dir: b.top}
	r, err := tree.Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	s, err := tree.State(t.Context(), r, nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(s.Changed) > 0 && strings.Join(s.Changed, " ") != ".gitmodules" {
		t.Errorf("changed: %v", s.Changed)
	}
	if _, err := b.put("a.md", "one\n"); err != nil {
		t.Fatal(err)
	}
}
