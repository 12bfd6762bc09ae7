package fsys_test

import (
	"errors"
	"io/fs"
	"math/rand/v2"
	"syscall"
	"testing"

	"github.com/cairn-kb/cairn/internal/files/fsys"
	"github.com/cairn-kb/cairn/internal/files/fsystest"
)

// step is what a test does to a tree before the power fails.
type step func(t *testing.T, m *fsys.Mem)

func do(op func(m *fsys.Mem) error) step {
	return func(t *testing.T, m *fsys.Mem) {
		t.Helper()
		if err := op(m); err != nil {
			t.Fatal(err)
		}
	}
}

func write(name, data string, sync bool) step {
	return do(func(m *fsys.Mem) error {
		w, err := m.Create(name, 0o644)
		if err != nil {
			return err
		}
		if _, err := w.Write([]byte(data)); err != nil {
			return err
		}
		if sync {
			err = w.Sync()
		}
		return errors.Join(err, w.Close())
	})
}

func rename(old, new string) step {
	return do(func(m *fsys.Mem) error { return m.Rename(old, new) })
}
func mkdir(name string) step   { return do(func(m *fsys.Mem) error { return m.Mkdir(name, 0o755) }) }
func remove(name string) step  { return do(func(m *fsys.Mem) error { return m.Remove(name) }) }
func syncDir(name string) step { return do(func(m *fsys.Mem) error { return m.SyncDir(name) }) }

func TestCrashClone(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name  string
		steps []step
		lost  string // nothing unflushed survives
		kept  string // everything does
		mayBe []string
	}{
		{"name not flushed", []step{write("a", "x", true)}, "", "a=x\n", nil},
		{"bytes not flushed", []step{write("a", "wxyz", false), syncDir(".")}, "a=\n", "a=wxyz\n", []string{"a=wx\n"}},
		{"all flushed", []step{write("a", "x", true), syncDir(".")}, "a=x\n", "a=x\n", nil},
		{"removal not flushed", []step{write("a", "x", true), syncDir("."), remove("a")}, "a=x\n", "", nil},
		{"rename is one change", []step{mkdir("d"), write("a", "x", true), syncDir("."), rename("a", "d/b")}, "a=x\nd/\n", "d/\nd/b=x\n", nil},
		{"one directory carries the other", []step{mkdir("d"), write("a", "x", true), syncDir("."), rename("a", "d/b"), syncDir("d")}, "d/\nd/b=x\n", "d/\nd/b=x\n", nil},
		{"what it builds on comes along", []step{mkdir("d"), syncDir("."), write("a", "x", true), rename("a", "d/b"), syncDir("d")}, "d/\nd/b=x\n", "d/\nd/b=x\n", nil},
		{"replace", []step{write("a", "x", true), syncDir("."), write("t", "y", true), rename("t", "a")}, "a=x\n", "a=y\n", []string{"a=x\nt=y\n"}},
		{"file in a lost directory", []step{mkdir("d"), write("d/a", "x", true), syncDir("d")}, "", "d/\nd/a=x\n", nil},
		{"flushed from above only", []step{mkdir("d"), write("d/a", "x", true), syncDir(".")}, "d/\n", "d/\nd/a=x\n", nil},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			m := fsys.NewMem(clock())
			for _, s := range test.steps {
				s(t, m)
			}
			before := dump(t, m, true)
			if got := dump(t, m.CrashClone(fsys.KeepNone), true); got != test.lost {
				t.Errorf("nothing kept:\n%swant\n%s", got, test.lost)
			}
			if got := dump(t, m.CrashClone(fsys.KeepAll), true); got != test.kept {
				t.Errorf("all kept:\n%swant\n%s", got, test.kept)
			}
			allowed := map[string]bool{test.lost: true, test.kept: true}
			for _, state := range test.mayBe {
				allowed[state] = true
			}
			seen := map[string]bool{}
			rng := rand.New(rand.NewPCG(1, 2))
			for range 100 {
				got := dump(t, m.CrashClone(func() bool { return rng.IntN(2) == 0 }), true)
				if !allowed[got] {
					t.Fatalf("impossible state:\n%s", got)
				}
				seen[got] = true
			}
			if len(seen) != len(allowed) {
				t.Errorf("saw %d states of %d", len(seen), len(allowed))
			}
			if after := dump(t, m, true); after != before || before != test.kept {
				t.Errorf("the tree itself changed:\n%s", after)
			}
		})
	}
}

func TestCrashCloneIsIndependent(t *testing.T) {
	t.Parallel()
	m := fsys.NewMem(clock())
	write("a", "x", true)(t, m)
	clone := m.CrashClone(fsys.KeepAll)
	remove("a")(t, m)
	write("b", "y", false)(t, clone)
	if got := dump(t, clone.CrashClone(fsys.KeepNone), true); got != "a=x\n" {
		t.Errorf("what a crash left is not durable: %q", got)
	}
	if got := dump(t, m, true); got != "" {
		t.Errorf("the clone writes through: %q", got)
	}
}

func TestCrashCloneKeepsHardLinks(t *testing.T) {
	t.Parallel()
	m := fsys.NewMem(clock())
	write("a", "x", false)(t, m)
	if err := m.Link("a", "b"); err != nil {
		t.Fatal(err)
	}
	syncDir(".")(t, m)
	if got := dump(t, m.CrashClone(fsys.KeepNone), true); got != "a=\nb=\n" {
		t.Error(got)
	}
}

func TestMemPermissions(t *testing.T) {
	t.Parallel()
	m := fsys.NewMem(clock())
	mkdir("d")(t, m)
	write("d/a", "x", true)(t, m)
	perm := func(name string, p fs.FileMode) {
		t.Helper()
		if err := m.SetPerm(name, p); err != nil {
			t.Fatal(err)
		}
	}
	denied := func(what string, err error) {
		t.Helper()
		if !errors.Is(err, fs.ErrPermission) {
			t.Errorf("%s: error %v", what, err)
		}
	}
	perm("d/a", 0o200)
	_, err := m.Open("d/a")
	denied("read a file", err)
	perm("d", 0o300)
	_, err = m.ReadDir("d")
	denied("list", err)
	perm("d", 0o500)
	denied("remove", m.Remove("d/a"))
	denied("rename from", m.Rename("d/a", "b"))
	denied("mkdir", m.Mkdir("d/e", 0o755))
	_, err = m.Create("d/b", 0o644)
	denied("create", err)
	perm("d", 0o600)
	_, err = m.Lstat("d/a")
	denied("search", err)
	if err := m.SetPerm("none", 0); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("error %v", err)
	}
}

func TestFault(t *testing.T) {
	t.Parallel()
	m := fsys.NewMem(clock())
	f := fsys.NewFault(m)
	f.FailIf(func(c fsys.Call) bool { return c.Op == "write" }, syscall.ENOSPC)
	w, err := f.Create("a", 0o644)
	if err != nil {
		t.Fatal(err)
	}
	n, err := w.Write([]byte("abcd"))
	if n != 2 || !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("wrote %d, %v", n, err)
	}
	if err := w.Close(); err != nil {
		t.Error(err)
	}
	if got := fsystest.Get(t, m, "a"); got != "ab" {
		t.Errorf("a holds %q", got)
	}
	f.CrashAt(5)
	if _, err := f.Lstat("a"); err != nil {
		t.Error(err)
	}
	for range 2 {
		if err := f.Remove("a"); !errors.Is(err, fsys.ErrCrashed) {
			t.Errorf("error %v", err)
		}
	}
	want := []fsys.Call{{1, "create", "a"}, {2, "write", "a"}, {3, "close", "a"}, {4, "lstat", "a"}, {5, "remove", "a"}, {6, "remove", "a"}}
	got := f.Calls()
	if len(got) != len(want) {
		t.Fatalf("calls %v", got)
	}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("call %v, want %v", got[i], want[i])
		}
	}
	if got := fsystest.Get(t, m, "a"); got != "ab" {
		t.Errorf("a stopped process wrote: %q", got)
	}
}
