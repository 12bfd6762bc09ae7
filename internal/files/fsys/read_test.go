package fsys_test

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/cairn-kb/cairn/internal/files/fsys"
	"github.com/cairn-kb/cairn/internal/files/fsystest"
)

func TestReadFile(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("words ", 100_000)
	for name, f := range map[string]fsys.FS{"Dir": dirTree(t).FS, "Mem": memTree().FS} {
		t.Run(name, func(t *testing.T) {
			for file, data := range map[string]string{"empty.md": "", "short.md": "x", "long.md": long} {
				fsystest.Put(t, f, file, data)
				got, info, err := fsys.ReadFile(t.Context(), f, file, int64(len(data)))
				if err != nil || got == nil || string(got) != data || info.Size() != int64(len(data)) || info.Name() != file {
					t.Errorf("%s: %d bytes, %v, %v", file, len(got), info, err)
				}
			}
			if _, _, err := fsys.ReadFile(t.Context(), f, "long.md", int64(len(long))-1); !errors.Is(err, fsys.ErrTooLarge) {
				t.Errorf("error %v", err)
			}
			if _, _, err := fsys.ReadFile(t.Context(), f, "none.md", 1); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("error %v", err)
			}
		})
	}
}

// growing is a tree whose files get longer while they are read.
type growing struct {
	fsys.FS
	times int
}

func (g *growing) Open(name string) (fsys.File, error) {
	file, err := g.FS.Open(name)
	if g.times--; g.times < 0 || err != nil {
		return file, err
	}
	return &growingFile{file, g.FS}, nil
}

type growingFile struct {
	fsys.File
	tree fsys.FS
}

func (g *growingFile) Read(p []byte) (int, error) {
	err := fsys.WriteAtomic(context.Background(), g.tree, "next.md", []byte("x"), fsys.Any(), fsys.WriteOptions{})
	if err != nil {
		return 0, err
	}
	return g.File.Read(p)
}

func (g *growingFile) Stat() (fs.FileInfo, error) {
	info, err := g.File.Stat()
	if _, nerr := g.tree.Lstat("next.md"); nerr == nil && err == nil {
		return longer{info}, errors.Join(err, g.tree.Remove("next.md"))
	}
	return info, err
}

type longer struct{ fs.FileInfo }

func (l longer) Size() int64 { return l.FileInfo.Size() + 1 }

func TestReadFileThatChanges(t *testing.T) {
	t.Parallel()
	mem := fsys.NewMem(clock())
	fsystest.Put(t, mem, "a.md", "text")
	if data, _, err := fsys.ReadFile(t.Context(), &growing{mem, 2}, "a.md", 100); string(data) != "text" || err != nil {
		t.Errorf("%q, %v", data, err)
	}
	if _, _, err := fsys.ReadFile(t.Context(), &growing{mem, 3}, "a.md", 100); !errors.Is(err, fsys.ErrChanged) {
		t.Errorf("error %v", err)
	}
}

func TestReadFileErrors(t *testing.T) {
	t.Parallel()
	mem := fsys.NewMem(clock())
	fsystest.Put(t, mem, "a.md", "text")
	for n := 1; ; n++ {
		fault := fsys.NewFault(mem)
		fault.FailAt(n, syscall.EIO)
		_, _, err := fsys.ReadFile(t.Context(), fault, "a.md", 100)
		if len(fault.Calls()) < n {
			if n < 5 {
				t.Errorf("only %d calls were tried", n)
			}
			return
		}
		if !errors.Is(err, syscall.EIO) {
			t.Errorf("%v: %v", fault.Calls(), err)
		}
	}
}

// Only a regular file is read, and nothing else is waited for.
func TestReadRegular(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	if err := errors.Join(os.WriteFile(at("a"), []byte("text"), 0o644), os.WriteFile(at("empty"), nil, 0o644), os.Symlink("a", at("link")), os.Symlink("/dev/zero", at("device"))); err != nil {
		t.Skip(err)
	}
	for name, want := range map[string]string{"a": "text", "empty": "", "link": "text"} {
		if got, err := fsys.ReadRegular(at(name), 4); err != nil || string(got) != want {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
	if _, err := fsys.ReadRegular(at("a"), 3); !errors.Is(err, fsys.ErrTooLarge) {
		t.Errorf("a file over the limit: %v", err)
	}
	if _, err := fsys.ReadRegular(at("none"), 3); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no file: %v", err)
	}
	names := []string{".", "device"}
	if fifo := mkfifo(dir); fifo != nil {
		if err := fifo("fifo"); err != nil {
			t.Fatal(err)
		}
		names = append(names, "fifo")
	}
	for _, name := range names {
		if _, err := fsys.ReadRegular(at(name), 3); !errors.Is(err, fsys.ErrNotRegular) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
