package fsystest

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"
	"testing"

	"github.com/cairn-kb/cairn/internal/files/fsys"
)

// walk describes all that is below a folder and closes it.
func walk(t *testing.T, folder fsys.Folder, name string) map[string]fsys.FileStat {
	t.Helper()
	all := map[string]fsys.FileStat{}
	var dirs []string
	must(t, folder.Each(func(entry []byte, kind fs.FileMode) {
		st, err := folder.Stat(string(entry))
		must(t, err)
		if st.Type != kind {
			t.Errorf("%s is listed as %v and described as %v", entry, kind, st.Type)
		}
		at := path.Join(name, string(entry))
		if _, twice := all[at]; twice {
			t.Errorf("%s is listed twice", at)
		}
		all[at] = st
		if kind.IsDir() {
			dirs = append(dirs, string(entry))
		}
	}))
	for _, d := range dirs {
		sub, err := folder.Folder(d)
		must(t, err)
		for at, st := range walk(t, sub, path.Join(name, d)) {
			all[at] = st
		}
	}
	must(t, folder.Close())
	return all
}

// testFolders checks that folders agree with ReadDir and Lstat, also for more names
// than one system call returns.
func testFolders(t *testing.T, f Tree) {
	must(t, f.Mkdir("a", 0o755))
	must(t, f.Mkdir("a/sub", 0o755))
	must(t, f.Mkdir("a/sub/deep", 0o755))
	must(t, f.Mkdir("empty", 0o755))
	for _, name := range []string{"x.md", ".hidden.md", "a/z.md", "a/é.md", "a/new\nline.md", "a/sub/deep/y.md", "a/" + strings.Repeat("n", 250) + ".md"} {
		Put(t, f, name, name)
	}
	for i := range 500 {
		file, err := f.Create(fmt.Sprintf("a/sub/%s%d", strings.Repeat("long", 40), i), 0o644)
		must(t, err)
		must(t, file.Close())
	}
	must(t, f.Symlink("a", "link"))
	must(t, f.Symlink("none", "a/dangling"))
	if f.FIFO != nil {
		must(t, f.FIFO("pipe"))
	}
	root, err := fsys.OpenFolder(f, ".")
	must(t, err)
	got := walk(t, root, "")
	n := 0
	var compare func(dir string)
	compare = func(dir string) {
		entries, err := f.ReadDir(dir)
		must(t, err)
		for _, e := range entries {
			n++
			at := path.Join(dir, e.Name())
			info, err := f.Lstat(at)
			must(t, err)
			want := fsys.FileStat{Type: info.Mode().Type(), Size: info.Size(), ModTime: info.ModTime().UnixNano()}
			if got[at] != want {
				t.Errorf("%s: %+v, want %+v", at, got[at], want)
			}
			if e.IsDir() {
				compare(at)
			}
		}
	}
	compare(".")
	if len(got) != n || n < 510 {
		t.Errorf("%d names, want %d", len(got), n)
	}
	sub, err := fsys.OpenFolder(f, "a/sub")
	must(t, err)
	_, err = sub.Stat("none")
	want(t, err, fs.ErrNotExist)
	want(t, sub.Readable("none"), fs.ErrNotExist)
	shut, err := f.Create("a/shut.md", 0o644)
	must(t, err)
	must(t, shut.Chmod(0))
	must(t, shut.Close())
	in, err := fsys.OpenFolder(f, "a")
	must(t, err)
	must(t, in.Readable("z.md"))
	whole, err := f.Open("a/shut.md")
	if err == nil {
		must(t, whole.Close())
	}
	if got := in.Readable("shut.md"); (got == nil) != (err == nil) || errors.Is(got, fs.ErrPermission) != errors.Is(err, fs.ErrPermission) {
		t.Errorf("a file without rights: %v, and %v from the root", got, err)
	}
	must(t, in.Close())
	if got := walk(t, sub, ""); len(got) != 502 || got["deep/y.md"].Size != int64(len("a/sub/deep/y.md")) {
		t.Errorf("%d names in a/sub, y.md is %+v", len(got), got["deep/y.md"])
	}
}

func testNoFolders(t *testing.T, f Tree) {
	must(t, f.Mkdir("d", 0o755))
	Put(t, f, "d/a.md", "a")
	must(t, f.Symlink("..", "d/up"))
	must(t, f.Symlink("../..", "d/out"))
	must(t, f.Symlink("/etc", "d/etc"))
	_, err := fsys.OpenFolder(f, "none")
	want(t, err, fs.ErrNotExist)
	if _, err := fsys.OpenFolder(f, "d/a.md"); err == nil {
		t.Error("a file was opened as a folder")
	}
	_, err = fsys.OpenFolder(f, "d/etc")
	want(t, err, fsys.ErrEscapes)
	_, err = fsys.OpenFolder(f, "../x")
	want(t, err, fs.ErrInvalid)
	d, err := fsys.OpenFolder(f, "d")
	must(t, err)
	_, err = d.Folder("none")
	want(t, err, fs.ErrNotExist)
	for _, name := range []string{"a.md", "out", "etc"} {
		if _, err := d.Folder(name); err == nil {
			t.Errorf("%s was opened as a folder", name)
		}
	}
	// If a link within the tree is followed, it resolves to its target.
	if up, err := d.Folder("up"); err == nil {
		if got := walk(t, up, ""); got["d/a.md"].Size != 1 {
			t.Errorf("through the link: %v", got)
		}
	}
	must(t, d.Close())
}
