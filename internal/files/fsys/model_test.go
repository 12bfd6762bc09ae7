package fsys_test

import (
	"errors"
	"io/fs"
	"math/rand/v2"
	"runtime"
	"testing"

	"github.com/cairn-kb/cairn/internal/files/fsys"
	"github.com/cairn-kb/cairn/internal/files/fsystest"
)

// Random calls have the same outcome in memory as on the real file system.
func TestMemBehavesAsDir(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("Mem is modelled on Unix")
	}
	names := []string{"a", "b", "a/a", "a/b", "b/a", "a/a/b", "b/b/a", "l", "l/a", "l/b", "a/l", "a/l/a"}
	targets := []string{"a", "b", "../b", "..", "a/b", "l", "a/../b", "/a", "none"}
	for seed := range uint64(30) {
		rng := rand.New(rand.NewPCG(7, seed))
		name := func() string { return names[rng.IntN(len(names))] }
		dir, mem := dirTree(t), memTree()
		for step := range 150 {
			x, y := name(), name()
			target := targets[rng.IntN(len(targets))]
			var op string
			var call func(f fsystest.Tree) error
			switch rng.IntN(9) {
			case 0, 1:
				op, call = "create "+x, func(f fsystest.Tree) error {
					w, err := f.Create(x, 0o644)
					if err == nil {
						_, err = w.Write([]byte(x))
						err = errors.Join(err, w.Close())
					}
					return err
				}
			case 2, 3:
				op, call = "mkdir "+x, func(f fsystest.Tree) error { return f.Mkdir(x, 0o755) }
			case 4:
				op, call = "rename "+x+" "+y, func(f fsystest.Tree) error { return f.Rename(x, y) }
			case 5:
				op, call = "remove "+x, func(f fsystest.Tree) error { return f.Remove(x) }
			case 6:
				if x != "l" && x != "a/l" {
					continue // links under few names, or all is links
				}
				if info, err := mem.Lstat("a"); x == "a/l" && err == nil && !info.IsDir() {
					continue // os.Symlink would follow a out of the tree
				}
				op, call = "symlink "+target+" "+x, func(f fsystest.Tree) error { return f.Symlink(target, x) }
			case 7:
				op, call = "open "+x, func(f fsystest.Tree) error {
					r, err := f.Open(x)
					if err == nil {
						err = r.Close()
					}
					return err
				}
			default:
				op, call = "list "+x, func(f fsystest.Tree) error {
					_, err := f.ReadDir(x)
					return err
				}
			}
			derr, merr := call(dir), call(mem)
			same := (derr == nil) == (merr == nil)
			if len(op) < 7 || op[:7] != "symlink" { // made by os.Symlink, not through Dir
				for _, kind := range []error{fs.ErrNotExist, fsys.ErrEscapes, fsys.ErrNotRegular} {
					same = same && errors.Is(derr, kind) == errors.Is(merr, kind)
				}
			}
			if !same {
				t.Fatalf("seed %d, step %d: %s: Dir says %v, Mem says %v", seed, step, op, derr, merr)
			}
		}
		if d, m := tree(t, dir, "."), tree(t, mem, "."); d != m {
			t.Fatalf("seed %d: Dir is\n%s\nMem is\n%s", seed, d, m)
		}
	}
}

// tree lists names, types, link targets and bytes without following links.
func tree(t *testing.T, f fsys.FS, dir string) string {
	t.Helper()
	entries, err := f.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	all := ""
	for _, e := range entries {
		name := dir + "/" + e.Name()
		if dir == "." {
			name = e.Name()
		}
		switch e.Type() {
		case fs.ModeDir:
			all += name + "/\n" + tree(t, f, name)
		case fs.ModeSymlink:
			target, err := f.Readlink(name)
			if err != nil {
				t.Fatal(err)
			}
			all += name + " -> " + target + "\n"
		default:
			all += name + "=" + fsystest.Get(t, f, name) + "\n"
		}
	}
	return all
}
