package fsys_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/cairn-kb/cairn/internal/files/fsys"
	"github.com/cairn-kb/cairn/internal/files/fsystest"
)

// clock is a clock that moves a second at each look, so that every change has
// a time of its own.
func clock() func() time.Time {
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	return func() time.Time {
		now = now.Add(time.Second)
		return now
	}
}

func openDir(t *testing.T, path string) *fsys.Dir {
	t.Helper()
	dir, err := fsys.OpenDir(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := dir.Close(); err != nil {
			t.Error(err)
		}
	})
	return dir
}

func memTree() fsystest.Tree {
	mem := fsys.NewMem(clock())
	return fsystest.Tree{
		FS:      mem,
		Symlink: mem.Symlink,
		FIFO:    func(name string) error { return mem.Special(name, fs.ModeNamedPipe|0o644, "") },
	}
}

func dirTree(t *testing.T) fsystest.Tree {
	path := filepath.Join(t.TempDir(), "root")
	if err := os.Mkdir(path, 0o755); err != nil {
		t.Fatal(err)
	}
	return fsystest.Tree{
		FS: openDir(t, path),
		Symlink: func(target, name string) error {
			return os.Symlink(filepath.FromSlash(target), filepath.Join(path, filepath.FromSlash(name)))
		},
		FIFO: mkfifo(path),
	}
}

func TestContract(t *testing.T) {
	t.Parallel()
	t.Run("Dir", func(t *testing.T) { fsystest.Run(t, dirTree) })
	t.Run("Mem", func(t *testing.T) { fsystest.Run(t, func(*testing.T) fsystest.Tree { return memTree() }) })
	t.Run("Fault", func(t *testing.T) {
		fsystest.Run(t, func(*testing.T) fsystest.Tree {
			tree := memTree()
			tree.FS = fsys.NewFault(tree.FS)
			return tree
		})
	})
}
