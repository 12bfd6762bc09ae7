package fsys_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/cairn-kb/cairn/internal/files/fsys"
	"github.com/cairn-kb/cairn/internal/files/fsystest"
)

func zeros() *bytes.Reader { return bytes.NewReader(make([]byte, 1024)) }

// dump lists every file of a tree with its bytes; no temporary file may be in
// it unless temps is set.
func dump(t *testing.T, f fsys.FS, temps bool) string {
	t.Helper()
	var b strings.Builder
	var list func(dir string)
	list = func(dir string) {
		entries, err := f.ReadDir(dir)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			name := strings.TrimPrefix(dir+"/"+e.Name(), "./")
			switch {
			case e.IsDir():
				fmt.Fprintf(&b, "%s/\n", name)
				list(name)
			case fsys.IsTemp(name):
				if !temps {
					t.Errorf("%s is left over", name)
				}
			default:
				fmt.Fprintf(&b, "%s=%s\n", name, fsystest.Get(t, f, name))
			}
		}
	}
	list(".")
	return b.String()
}

func TestWriteAtomic(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		file string
		pre  fsys.Precondition
		want string // the tree afterwards
		err  error
	}{
		{"new file", "b.md", fsys.Absent(), "a.md=old\nb.md=new\nd/\n", nil},
		{"new file, any", "b.md", fsys.Any(), "a.md=old\nb.md=new\nd/\n", nil},
		{"new parents", "x/y/b.md", fsys.Absent(), "a.md=old\nd/\nx/\nx/y/\nx/y/b.md=new\n", nil},
		{"replace", "a.md", fsys.Any(), "a.md=new\nd/\n", nil},
		{"replace unchanged", "a.md", fsys.Unchanged([]byte("old")), "a.md=new\nd/\n", nil},
		{"changed", "a.md", fsys.Unchanged([]byte("odd")), "a.md=old\nd/\n", fsys.ErrChanged},
		{"changed, longer", "a.md", fsys.Unchanged([]byte("ol")), "a.md=old\nd/\n", fsys.ErrChanged},
		{"changed, shorter", "a.md", fsys.Unchanged([]byte("older")), "a.md=old\nd/\n", fsys.ErrChanged},
		{"gone", "x/b.md", fsys.Unchanged([]byte("old")), "a.md=old\nd/\n", fsys.ErrChanged},
		{"there already", "a.md", fsys.Absent(), "a.md=old\nd/\n", fs.ErrExist},
		{"a directory", "d", fsys.Any(), "a.md=old\nd/\n", fsys.ErrNotRegular},
		{"below a file", "a.md/b.md", fsys.Any(), "a.md=old\nd/\n", syscall.ENOTDIR},
		{"no precondition", "a.md", fsys.Precondition{}, "a.md=old\nd/\n", fs.ErrInvalid},
		{"outside", "../b.md", fsys.Any(), "a.md=old\nd/\n", fs.ErrInvalid},
		{"absolute", "/b.md", fsys.Any(), "a.md=old\nd/\n", fs.ErrInvalid},
	}
	for _, tree := range []struct {
		name string
		make func(t *testing.T) fsystest.Tree
	}{{"Dir", dirTree}, {"Mem", func(*testing.T) fsystest.Tree { return memTree() }}} {
		for _, test := range tests {
			t.Run(tree.name+"/"+test.name, func(t *testing.T) {
				f := tree.make(t)
				fsystest.Put(t, f, "a.md", "old")
				if err := f.Mkdir("d", 0o755); err != nil {
					t.Fatal(err)
				}
				err := fsys.WriteAtomic(t.Context(), f, test.file, []byte("new"), test.pre, fsys.WriteOptions{Random: zeros()})
				if !errors.Is(err, test.err) {
					t.Errorf("error %v, want %v", err, test.err)
				}
				if got := dump(t, f, false); got != test.want {
					t.Errorf("tree\n%swant\n%s", got, test.want)
				}
			})
		}
	}
}

func TestWriteAtomicSymlinks(t *testing.T) {
	t.Parallel()
	for name, f := range map[string]fsystest.Tree{"Dir": dirTree(t), "Mem": memTree()} {
		t.Run(name, func(t *testing.T) {
			if err := f.Mkdir("d", 0o755); err != nil {
				t.Fatal(err)
			}
			fsystest.Put(t, f, "d/a.md", "old")
			for _, link := range [][2]string{{"d", "in"}, {"..", "out"}, {"d/a.md", "file.md"}, {"none", "dangling.md"}} {
				if err := f.Symlink(link[0], link[1]); err != nil {
					t.Fatal(err)
				}
			}
			for _, file := range []string{"in/a.md", "in/new.md", "in/x/new.md", "out/a.md", "file.md", "dangling.md", "dangling.md/x.md"} {
				err := fsys.WriteAtomic(t.Context(), f, file, []byte("new"), fsys.Any(), fsys.WriteOptions{})
				if !errors.Is(err, fsys.ErrSymlink) {
					t.Errorf("write %s: %v", file, err)
				}
				err = fsys.RemoveDurable(t.Context(), f, file, fsys.Any())
				if !errors.Is(err, fsys.ErrSymlink) {
					t.Errorf("remove %s: %v", file, err)
				}
				err = fsys.MoveDurable(t.Context(), f, file, "moved.md", fsys.Any())
				if !errors.Is(err, fsys.ErrSymlink) {
					t.Errorf("move %s: %v", file, err)
				}
			}
			if err := fsys.MoveDurable(t.Context(), f, "d/a.md", "in/b.md", fsys.Any()); !errors.Is(err, fsys.ErrSymlink) {
				t.Errorf("move into link: %v", err)
			}
			if got := fsystest.Get(t, f, "d/a.md"); got != "old" {
				t.Errorf("d/a.md holds %q", got)
			}
			if entries, err := f.ReadDir("d"); err != nil || len(entries) != 1 {
				t.Errorf("%v, %v", entries, err)
			}
		})
	}
}

func TestWriteAtomicModes(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("this system has no permission bits")
	}
	f := dirTree(t)
	w, err := f.Create("a.md", 0o600)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(w.Chmod(0o666), w.Close()); err != nil {
		t.Fatal(err)
	}
	write := func(name string, perm fs.FileMode) {
		t.Helper()
		if err := fsys.WriteAtomic(t.Context(), f, name, []byte("new"), fsys.Any(), fsys.WriteOptions{Perm: perm}); err != nil {
			t.Fatal(err)
		}
	}
	write("a.md", 0o600) // more open than any umask would let a new file be
	write("b.md", 0o600)
	write("c.md", 0)
	for name, want := range map[string]fs.FileMode{"a.md": 0o666, "b.md": 0o600, "c.md": 0o644} {
		info, err := f.Lstat(name)
		if err != nil {
			t.Fatal(err)
		}
		// The umask of whoever runs this may take bits from a default mode.
		if got := info.Mode(); got != want && (name != "c.md" || got&^want != 0) {
			t.Errorf("%s: mode %v, want %v", name, got, want)
		}
	}
	mem := fsys.NewMem(clock())
	fsystest.Put(t, mem, "ro.md", "old")
	if err := mem.SetPerm("ro.md", 0o444); err != nil {
		t.Fatal(err)
	}
	err = fsys.WriteAtomic(t.Context(), mem, "ro.md", []byte("new"), fsys.Any(), fsys.WriteOptions{})
	if !errors.Is(err, fs.ErrPermission) || fsystest.Get(t, mem, "ro.md") != "old" {
		t.Errorf("a read-only file was replaced: %v", err)
	}
	if err := mem.SetPerm(".", 0o555); err != nil {
		t.Fatal(err)
	}
	err = fsys.WriteAtomic(t.Context(), mem, "new.md", []byte("new"), fsys.Any(), fsys.WriteOptions{})
	if !errors.Is(err, fs.ErrPermission) {
		t.Errorf("written to a read-only directory: %v", err)
	}
}

// A random source that repeats itself must not make a write fail on the
// litter of an earlier one, nor make it loop.
func TestWriteAtomicTempTaken(t *testing.T) {
	t.Parallel()
	f := fsys.NewMem(clock())
	fsystest.Put(t, f, ".cairn-tmp-0000000000000000", "litter")
	err := fsys.WriteAtomic(t.Context(), f, "a.md", nil, fsys.Any(), fsys.WriteOptions{Random: zeros()})
	if !errors.Is(err, fs.ErrExist) {
		t.Errorf("error %v", err)
	}
	twice := append(make([]byte, 8), "12345678"...)
	err = fsys.WriteAtomic(t.Context(), f, "a.md", nil, fsys.Any(), fsys.WriteOptions{Random: bytes.NewReader(twice)})
	if err != nil {
		t.Error(err)
	}
	n, err := fsys.RemoveTemps(t.Context(), f, []string{".cairn-tmp-0000000000000000", ".cairn-tmp-gone"})
	if n != 1 || err != nil {
		t.Errorf("%d, %v", n, err)
	}
	if _, err := fsys.RemoveTemps(t.Context(), f, []string{"a.md"}); !errors.Is(err, fs.ErrInvalid) {
		t.Errorf("a document was taken for litter: %v", err)
	}
	if got := dump(t, f, false); got != "a.md=\n" {
		t.Error(got)
	}
}

func TestIsTemp(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]bool{
		".cairn-tmp-12": true, "a/b/.cairn-tmp-12": true,
		".cairn-tmp-1/a.md": false, "a.md": false, "": false, "x.cairn-tmp-1": false,
	} {
		if fsys.IsTemp(name) != want {
			t.Errorf("%q", name)
		}
	}
}

// Of many writers who all demand that the name be free, exactly one wins, on
// a real file system as well.
func TestWriteAtomicAbsentRace(t *testing.T) {
	t.Parallel()
	for name, f := range map[string]fsys.FS{"Dir": dirTree(t).FS, "Mem": memTree().FS} {
		t.Run(name, func(t *testing.T) {
			var wg sync.WaitGroup
			errs := make([]error, 8)
			for i := range errs {
				wg.Go(func() {
					errs[i] = fsys.WriteAtomic(t.Context(), f, "d/a.md", fmt.Append(nil, i), fsys.Absent(), fsys.WriteOptions{})
				})
			}
			wg.Wait()
			winner := -1
			for i, err := range errs {
				switch {
				case err == nil && winner < 0:
					winner = i
				case err == nil:
					t.Errorf("%d and %d both won", winner, i)
				case !errors.Is(err, fs.ErrExist):
					t.Errorf("loser %d: %v", i, err)
				}
			}
			if got := dump(t, f, false); got != fmt.Sprintf("d/\nd/a.md=%d\n", winner) {
				t.Error(got)
			}
		})
	}
}

func TestCancelled(t *testing.T) {
	t.Parallel()
	f := fsys.NewMem(clock())
	fsystest.Put(t, f, "a.md", "old")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, err := range []error{
		fsys.WriteAtomic(ctx, f, "a.md", nil, fsys.Any(), fsys.WriteOptions{}),
		fsys.RemoveDurable(ctx, f, "a.md", fsys.Any()),
		fsys.MoveDurable(ctx, f, "a.md", "b.md", fsys.Any()),
	} {
		if !errors.Is(err, context.Canceled) {
			t.Errorf("error %v", err)
		}
	}
	if got := dump(t, f, false); got != "a.md=old\n" {
		t.Error(got)
	}
}

func TestMoveDurable(t *testing.T) {
	t.Parallel()
	f := fsys.NewMem(clock())
	fsystest.Put(t, f, "a.md", "a")
	fsystest.Put(t, f, "b.md", "b")
	tests := []struct {
		old, new string
		pre      fsys.Precondition
		err      error
	}{
		{"a.md", "b.md", fsys.Any(), fs.ErrExist},
		{"none.md", "c.md", fsys.Any(), fs.ErrNotExist},
		{"a.md", "x/c.md", fsys.Unchanged([]byte("z")), fsys.ErrChanged},
		{"a.md", "a.md", fsys.Any(), fs.ErrInvalid},
		{"a.md", "c.md", fsys.Absent(), fs.ErrInvalid},
		{"a.md", "../c.md", fsys.Any(), fs.ErrInvalid},
		{"a.md", "A.md", fsys.Any(), nil},
	}
	for _, test := range tests {
		if err := fsys.MoveDurable(t.Context(), f, test.old, test.new, test.pre); !errors.Is(err, test.err) {
			t.Errorf("%s to %s: error %v, want %v", test.old, test.new, err, test.err)
		}
	}
	if got := dump(t, f, false); got != "A.md=a\nb.md=b\n" {
		t.Error(got)
	}
	if err := fsys.RemoveDurable(t.Context(), f, "a.md", fsys.Any()); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("error %v", err)
	}
	if err := fsys.RemoveDurable(t.Context(), f, "A.md", fsys.Unchanged([]byte("b"))); !errors.Is(err, fsys.ErrChanged) {
		t.Errorf("error %v", err)
	}
}

// Hard links to the same bytes are two documents: neither may vanish in a
// rename that the system takes for no change.
func TestMoveOntoHardLink(t *testing.T) {
	t.Parallel()
	f := dirTree(t)
	fsystest.Put(t, f, "a.md", "a")
	if err := f.Link("a.md", "b.md"); err != nil {
		t.Skip("this file system has no hard links")
	}
	if err := fsys.MoveDurable(t.Context(), f, "a.md", "b.md", fsys.Any()); !errors.Is(err, fs.ErrExist) {
		t.Errorf("error %v", err)
	}
}

func TestOpenDirMissing(t *testing.T) {
	t.Parallel()
	missing := filepath.Join(t.TempDir(), "none")
	if _, err := fsys.OpenDir(missing); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("error %v", err)
	}
	if err := fsys.MakeDir(filepath.Join(missing, "a")); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(missing)
	if err != nil {
		t.Fatal(err)
	}
	if runtime.GOOS != "windows" && info.Mode().Perm() != 0o700 {
		t.Errorf("mode %v", info.Mode())
	}
	if dir := openDir(t, missing); dir.Path() != missing {
		t.Errorf("path %s", dir.Path())
	}
}

// A staged file reads the old one only to compare its bytes at the exchange.
func TestPlaceReadsOnce(t *testing.T) {
	t.Parallel()
	tree := dirTree(t)
	fsystest.Put(t, tree, "a.md", "old")
	fsystest.Put(t, tree, "b.md", "b")
	if err := tree.Exchange("a.md", "b.md"); errors.Is(err, errors.ErrUnsupported) {
		t.Skip("no exchange of names here")
	}
	fault := fsys.NewFault(tree.FS)
	s, err := fsys.Stage(t.Context(), fault, "b.md", []byte("new"), fsys.Unchanged([]byte("old")), fsys.WriteOptions{})
	if err != nil {
		t.Fatal(err)
	}
	before := len(fault.Calls())
	if err := s.Place(t.Context()); err != nil {
		t.Fatal(err)
	}
	opened := 0
	for _, c := range fault.Calls()[before:] {
		if c.Op == "open" {
			opened++
		}
	}
	if opened != 1 || fsystest.Get(t, tree, "b.md") != "new" {
		t.Errorf("%d files were opened", opened)
	}
}

// A file system without hard links gets the new name as well, and nothing is replaced.
func TestPlaceNewWithoutLinks(t *testing.T) {
	t.Parallel()
	f := fsys.NewFault(fsys.NewMem(clock()))
	f.FailIf(func(c fsys.Call) bool { return c.Op == "link" }, syscall.EPERM)
	for _, name := range []string{"part", "old"} {
		if err := fsys.WriteAtomic(t.Context(), f, name, []byte(name), fsys.Any(), fsys.WriteOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := fsys.PlaceNew(f, "part", "old"); !errors.Is(err, fsys.ErrChanged) {
		t.Errorf("replaced: %v", err)
	}
	if done, err := fsys.PlaceNew(f, "part", "new"); err != nil || !done {
		t.Errorf("%v %v", done, err)
	}
	for name, want := range map[string]string{"new": "part", "old": "old"} {
		if text, _, err := fsys.ReadFile(t.Context(), f, name, 100); err != nil || string(text) != want {
			t.Errorf("%s: %s %v", name, text, err)
		}
	}
}
