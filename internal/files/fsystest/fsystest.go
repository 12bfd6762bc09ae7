package fsystest

import (
	"errors"
	"io"
	"io/fs"
	"slices"
	"strings"
	"testing"

	"github.com/cairn-kb/cairn/internal/files/fsys"
)

// Tree is an empty file system under test, with functions that create what FS itself cannot.
type Tree struct {
	fsys.FS
	Symlink func(target, name string) error
	FIFO    func(name string) error // nil if the system has none
}

// Run runs the suite. Each test gets a tree of its own.
func Run(t *testing.T, empty func(t *testing.T) Tree) {
	tests := []struct {
		name string
		run  func(t *testing.T, tree Tree)
	}{
		{"names", testNames},
		{"create and read", testCreate},
		{"handles", testHandles},
		{"directories", testDirectories},
		{"folders", testFolders},
		{"folders that are none", testNoFolders},
		{"rename", testRename},
		{"exchange", testExchange},
		{"link", testLink},
		{"symbolic links inside", testSymlinkInside},
		{"symbolic links outside", testSymlinkOutside},
		{"link loop", testLinkLoop},
		{"fifo", testFIFO},
		{"modes", testModes},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) { test.run(t, empty(t)) })
	}
}

// Put writes a file through the interface, or ends the test.
func Put(t *testing.T, f fsys.FS, name, data string) {
	t.Helper()
	file, err := f.Create(name, 0o644)
	must(t, err)
	_, err = io.WriteString(file, data)
	must(t, err)
	must(t, file.Sync())
	must(t, file.Close())
}

// Get reads a file through the interface, or ends the test.
func Get(t *testing.T, f fsys.FS, name string) string {
	t.Helper()
	file, err := f.Open(name)
	must(t, err)
	data, err := io.ReadAll(file)
	must(t, err)
	must(t, file.Close())
	return string(data)
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func want(t *testing.T, err, target error) {
	t.Helper()
	if !errors.Is(err, target) {
		t.Errorf("error %v, want %v", err, target)
	}
}

func testNames(t *testing.T, f Tree) {
	for _, name := range []string{"", "/", "/etc/passwd", "..", "../x", "a/../b", "a//b", "a/", "./a", "a/.", "a\x00b"} {
		_, err := f.Open(name)
		want(t, err, fs.ErrInvalid)
		_, err = f.Create(name, 0o644)
		want(t, err, fs.ErrInvalid)
		_, err = f.Lstat(name)
		want(t, err, fs.ErrInvalid)
		_, err = f.ReadDir(name)
		want(t, err, fs.ErrInvalid)
		want(t, f.Remove(name), fs.ErrInvalid)
		want(t, f.Mkdir(name, 0o755), fs.ErrInvalid)
		want(t, f.Rename(name, "x"), fs.ErrInvalid)
		want(t, f.Rename("x", name), fs.ErrInvalid)
		want(t, f.SyncDir(name), fs.ErrInvalid)
	}
	for _, name := range []string{"all tomorrow's parties.md", "1*.md", "é.md", "..md", "a\nb.md"} {
		if strings.ContainsAny(name, "*\n") && f.FIFO == nil {
			continue // a system without FIFOs is Windows, which has no such names
		}
		Put(t, f, name, name)
		if got := Get(t, f, name); got != name {
			t.Errorf("%q holds %q", name, got)
		}
	}
}

func testCreate(t *testing.T, f Tree) {
	_, err := f.Open("a.md")
	want(t, err, fs.ErrNotExist)
	_, err = f.Create("no/a.md", 0o644)
	want(t, err, fs.ErrNotExist)
	Put(t, f, "a.md", "one")
	_, err = f.Create("a.md", 0o644)
	want(t, err, fs.ErrExist)
	if got := Get(t, f, "a.md"); got != "one" {
		t.Errorf("got %q", got)
	}
	info, err := f.Lstat("a.md")
	must(t, err)
	if info.Name() != "a.md" || info.Size() != 3 || !info.Mode().IsRegular() || info.ModTime().IsZero() {
		t.Errorf("got %v", info)
	}
	_, err = f.Open("a.md/b")
	if err == nil {
		t.Error("a file was taken for a directory")
	}
	must(t, f.Remove("a.md"))
	want(t, f.Remove("a.md"), fs.ErrNotExist)
}

func testHandles(t *testing.T, f Tree) {
	Put(t, f, "a.md", "one")
	r, err := f.Open("a.md")
	must(t, err)
	if _, err := r.Write([]byte("x")); err == nil {
		t.Error("a file open for reading was written")
	}
	info, err := r.Stat()
	must(t, err)
	if info.Size() != 3 || info.Name() != "a.md" {
		t.Errorf("got %v", info)
	}
	must(t, r.Close())
	if err := r.Close(); err == nil {
		t.Error("closed twice")
	}
	w, err := f.Create("b.md", 0o644)
	must(t, err)
	if _, err := w.Read(make([]byte, 1)); err == nil || err == io.EOF {
		t.Errorf("a file open for writing was read: %v", err)
	}
	must(t, w.Close())
	if _, err := w.Write([]byte("x")); err == nil {
		t.Error("a closed file was written")
	}
}

func testDirectories(t *testing.T, f Tree) {
	want(t, f.Mkdir("a/b", 0o755), fs.ErrNotExist)
	must(t, f.Mkdir("a", 0o755))
	want(t, f.Mkdir("a", 0o755), fs.ErrExist)
	must(t, f.Mkdir("a/sub", 0o755))
	for _, name := range []string{"a/z.md", "a/B.md", "a/b.md", "a/é.md"} {
		Put(t, f, name, name)
	}
	entries, err := f.ReadDir("a")
	must(t, err)
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
		info, err := e.Info()
		must(t, err)
		if info.Name() != e.Name() || info.IsDir() != e.IsDir() || !e.IsDir() && info.Size() != int64(len("a/"+e.Name())) {
			t.Errorf("%s: info %v", e.Name(), info)
		}
	}
	if want := []string{"B.md", "b.md", "sub", "z.md", "é.md"}; !slices.Equal(names, want) {
		t.Errorf("names %q, want %q", names, want)
	}
	if root, err := f.ReadDir("."); err != nil || len(root) != 1 {
		t.Errorf("root: %v, %v", root, err)
	}
	_, err = f.ReadDir("none")
	want(t, err, fs.ErrNotExist)
	if _, err = f.ReadDir("a/b.md"); err == nil {
		t.Error("a file was listed")
	}
	_, err = f.Open("a")
	want(t, err, fsys.ErrNotRegular)
	if err := f.Remove("a"); err == nil {
		t.Error("a full directory was removed")
	}
	must(t, f.Remove("a/sub"))
	must(t, f.SyncDir("a"))
	must(t, f.SyncDir("."))
	want(t, f.SyncDir("none"), fs.ErrNotExist)
}

func testRename(t *testing.T, f Tree) {
	must(t, f.Mkdir("d", 0o755))
	Put(t, f, "a.md", "a")
	Put(t, f, "b.md", "b")
	want(t, f.Rename("none", "c.md"), fs.ErrNotExist)
	want(t, f.Rename("a.md", "none/a.md"), fs.ErrNotExist)
	must(t, f.Rename("a.md", "b.md"))
	if got := Get(t, f, "b.md"); got != "a" {
		t.Errorf("b.md holds %q", got)
	}
	_, err := f.Lstat("a.md")
	want(t, err, fs.ErrNotExist)
	must(t, f.Rename("b.md", "d/c.md"))
	if err := f.Rename("d", "d/e"); err == nil {
		t.Error("a directory was moved into itself")
	}
	must(t, f.Rename("d", "e"))
	if got := Get(t, f, "e/c.md"); got != "a" {
		t.Errorf("e/c.md holds %q", got)
	}
	Put(t, f, "f.md", "f")
	want(t, f.Rename("f.md", "e"), fs.ErrExist)
	must(t, f.Mkdir("empty", 0o755))
	want(t, f.Rename("e", "empty"), fs.ErrExist)
	if err := f.Rename("e", "f.md"); err == nil {
		t.Error("a directory replaced a file")
	}
}

func testExchange(t *testing.T, f Tree) {
	must(t, f.Mkdir("d", 0o755))
	Put(t, f, "d/a.md", "a")
	Put(t, f, "d/b.md", "b")
	Put(t, f, "c.md", "c")
	if err := f.Exchange("d/a.md", "d/b.md"); errors.Is(err, errors.ErrUnsupported) {
		t.Skip("no exchange here")
	} else {
		must(t, err)
	}
	if Get(t, f, "d/a.md") != "b" || Get(t, f, "d/b.md") != "a" {
		t.Error("not exchanged")
	}
	want(t, f.Exchange("d/a.md", "d/none"), fs.ErrNotExist)
	want(t, f.Exchange("d/none", "d/a.md"), fs.ErrNotExist)
	want(t, f.Exchange("d/a.md", "c.md"), fs.ErrInvalid)
	if Get(t, f, "d/a.md") != "b" || Get(t, f, "c.md") != "c" {
		t.Error("a failed exchange changed something")
	}
}

func testLink(t *testing.T, f Tree) {
	Put(t, f, "a.md", "a")
	must(t, f.Link("a.md", "b.md"))
	want(t, f.Link("a.md", "b.md"), fs.ErrExist)
	want(t, f.Link("none", "c.md"), fs.ErrNotExist)
	must(t, f.Remove("a.md"))
	if got := Get(t, f, "b.md"); got != "a" {
		t.Errorf("b.md holds %q", got)
	}
}

func testSymlinkInside(t *testing.T, f Tree) {
	must(t, f.Mkdir("d", 0o755))
	Put(t, f, "d/a.md", "a")
	must(t, f.Symlink("d", "link"))
	must(t, f.Symlink("../d/a.md", "d/up.md"))
	info, err := f.Lstat("link")
	must(t, err)
	if info.Mode().Type() != fs.ModeSymlink {
		t.Errorf("mode %v", info.Mode())
	}
	if target, err := f.Readlink("link"); err != nil || target != "d" {
		t.Errorf("points to %q, %v", target, err)
	}
	if _, err := f.Readlink("d/a.md"); err == nil {
		t.Error("a file was read as a link")
	}
	if Get(t, f, "link/a.md") != "a" || Get(t, f, "d/up.md") != "a" {
		t.Error("link not followed")
	}
	_, err = f.Create("d/up.md", 0o644)
	want(t, err, fs.ErrExist)
	must(t, f.Remove("link"))
	if got := Get(t, f, "d/a.md"); got != "a" {
		t.Errorf("removing the link changed the file: %q", got)
	}
}

func testSymlinkOutside(t *testing.T, f Tree) {
	must(t, f.Mkdir("d", 0o755))
	for i, target := range []string{"..", "../..", "/etc", "d/../../etc", "../outside"} {
		name := "link" + string(rune('0'+i))
		must(t, f.Symlink(target, name))
		_, err := f.Open(name + "/x.md")
		want(t, err, fsys.ErrEscapes)
		_, err = f.Create(name+"/x.md", 0o644)
		want(t, err, fsys.ErrEscapes)
		_, err = f.ReadDir(name)
		want(t, err, fsys.ErrEscapes)
		want(t, f.Mkdir(name+"/x", 0o755), fsys.ErrEscapes)
		want(t, f.Remove(name+"/x"), fsys.ErrEscapes)
		want(t, f.Rename(name+"/x", "y"), fsys.ErrEscapes)
		want(t, f.SyncDir(name), fsys.ErrEscapes)
		if got, err := f.Readlink(name); err != nil || got != target {
			t.Errorf("points to %q, %v; want %q", got, err, target)
		}
	}
}

func testLinkLoop(t *testing.T, f Tree) {
	must(t, f.Symlink("b", "a"))
	must(t, f.Symlink("a", "b"))
	if _, err := f.Open("a"); err == nil {
		t.Error("a loop was opened")
	}
	if _, err := f.Open("a/x.md"); err == nil {
		t.Error("a loop was walked")
	}
}

func testFIFO(t *testing.T, f Tree) {
	if f.FIFO == nil {
		t.Skip("this system has no FIFOs")
	}
	must(t, f.FIFO("pipe.md"))
	_, err := f.Open("pipe.md") // would block forever
	want(t, err, fsys.ErrNotRegular)
	entries, err := f.ReadDir(".")
	must(t, err)
	if len(entries) != 1 || entries[0].Type() != fs.ModeNamedPipe {
		t.Errorf("entries %v", entries)
	}
}

func testModes(t *testing.T, f Tree) {
	if f.FIFO == nil {
		t.Skip("this system has no permission bits")
	}
	w, err := f.Create("a.md", 0o600)
	must(t, err)
	must(t, w.Chmod(0o640))
	must(t, w.Close())
	info, err := f.Lstat("a.md")
	must(t, err)
	if info.Mode() != 0o640 {
		t.Errorf("mode %v", info.Mode())
	}
	must(t, f.Mkdir("d", 0o700))
	info, err = f.Lstat("d")
	must(t, err)
	if info.Mode() != fs.ModeDir|0o700 {
		t.Errorf("mode %v", info.Mode())
	}
}
