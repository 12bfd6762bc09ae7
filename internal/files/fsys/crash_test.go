package fsys_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"strings"
	"syscall"
	"testing"

	"github.com/cairn-kb/cairn/internal/files/fsys"
	"github.com/cairn-kb/cairn/internal/files/fsystest"
)

// operations are the durable changes, each on the same small tree.
var operations = []struct {
	name     string
	run      func(ctx context.Context, f fsys.FS) error
	old, new string
}{
	{"replace", func(ctx context.Context, f fsys.FS) error {
		return fsys.WriteAtomic(ctx, f, "d/a.md", []byte("new text"), fsys.Unchanged([]byte("old")), fsys.WriteOptions{Random: zeros()})
	}, "d/\nd/a.md=old\n", "d/\nd/a.md=new text\n"},
	{"create", func(ctx context.Context, f fsys.FS) error {
		return fsys.WriteAtomic(ctx, f, "d/b.md", []byte("new text"), fsys.Absent(), fsys.WriteOptions{Random: zeros()})
	}, "d/\nd/a.md=old\n", "d/\nd/a.md=old\nd/b.md=new text\n"},
	{"create below", func(ctx context.Context, f fsys.FS) error {
		return fsys.WriteAtomic(ctx, f, "e/f/b.md", []byte("new text"), fsys.Absent(), fsys.WriteOptions{Random: zeros()})
	}, "d/\nd/a.md=old\n", "d/\nd/a.md=old\ne/\ne/f/\ne/f/b.md=new text\n"},
	{"remove", func(ctx context.Context, f fsys.FS) error {
		return fsys.RemoveDurable(ctx, f, "d/a.md", fsys.Unchanged([]byte("old")))
	}, "d/\nd/a.md=old\n", "d/\n"},
	{"move", func(ctx context.Context, f fsys.FS) error {
		return fsys.MoveDurable(ctx, f, "d/a.md", "e/b.md", fsys.Unchanged([]byte("old")))
	}, "d/\nd/a.md=old\n", "d/\ne/\ne/b.md=old\n"},
}

func settled(t *testing.T) *fsys.Mem {
	t.Helper()
	mem := fsys.NewMem(clock())
	if err := mem.Mkdir("d", 0o755); err != nil {
		t.Fatal(err)
	}
	fsystest.Put(t, mem, "d/a.md", "old")
	return mem.CrashClone(fsys.KeepAll)
}

// Stop before every call of every operation, cut the power in many ways, and
// find the old or the new state; after success, only the new one.
func TestCrash(t *testing.T) {
	t.Parallel()
	for _, op := range operations {
		t.Run(op.name, func(t *testing.T) {
			for n := 1; ; n++ {
				mem := settled(t)
				fault := fsys.NewFault(mem)
				fault.CrashAt(n)
				err := op.run(t.Context(), fault)
				finished := len(fault.Calls()) < n
				if finished != (err == nil) {
					t.Fatalf("stop at %d: error %v after %d calls", n, err, len(fault.Calls()))
				}
				rng := rand.New(rand.NewPCG(1, uint64(n)))
				outcomes := []fsys.Keep{fsys.KeepAll, fsys.KeepNone}
				for range 20 {
					outcomes = append(outcomes, func() bool { return rng.IntN(2) == 0 })
				}
				for _, keep := range outcomes {
					got := dump(t, mem.CrashClone(keep), true)
					isOld := withoutEmptyDirs(got) == withoutEmptyDirs(op.old)
					if got != op.new && (finished || !isOld) {
						t.Fatalf("stop at %d of %v: tree\n%s", n, fault.Calls(), got)
					}
				}
				if finished {
					if n < 4 {
						t.Fatalf("only %d calls were tried", n)
					}
					return
				}
			}
		})
	}
}

// withoutEmptyDirs drops directories: a stop may leave new ones that are empty.
func withoutEmptyDirs(tree string) string {
	var lines []string
	for line := range strings.Lines(tree) {
		if !strings.HasSuffix(line, "/\n") {
			lines = append(lines, line)
		}
	}
	return strings.Join(lines, "")
}

// Fail every call of every operation in turn: the tree is exactly the old
// one and holds no litter, or the operation is done; ErrNotDurable says which.
func TestEveryCallFails(t *testing.T) {
	t.Parallel()
	for _, op := range operations {
		for _, cause := range []error{syscall.ENOSPC, syscall.EIO, fs.ErrPermission} {
			t.Run(fmt.Sprintf("%s/%v", op.name, cause), func(t *testing.T) {
				failed := 0
				for n := 1; ; n++ {
					mem := settled(t)
					fault := fsys.NewFault(mem)
					fault.FailAt(n, cause)
					err := op.run(t.Context(), fault)
					if len(fault.Calls()) < n {
						break
					}
					call := fault.Calls()[n-1]
					got := dump(t, mem, errors.Is(err, fsys.ErrNotDurable))
					want := op.old
					if err == nil || errors.Is(err, fsys.ErrNotDurable) {
						want = op.new
					}
					if got != want {
						t.Errorf("%v: error %v, tree\n%s", call, err, got)
					}
					// Without hard links a new file is renamed into place.
					if err == nil && call.Op != "link" {
						t.Errorf("%v failed and nobody was told", call)
					}
					if err != nil {
						failed++
						if !errors.Is(err, cause) {
							t.Errorf("%v: the cause is lost: %v", call, err)
						}
					}
				}
				if failed < 4 {
					t.Errorf("only %d calls failed", failed)
				}
			})
		}
	}
}

// What another program puts in place between the last look and the change
// stays, and the caller is told.
func TestChangeInTheLastInstant(t *testing.T) {
	t.Parallel()
	for _, op := range operations {
		if op.name != "replace" && op.name != "remove" {
			continue
		}
		t.Run(op.name, func(t *testing.T) {
			mem := settled(t)
			fault := fsys.NewFault(mem)
			late := false
			fault.FailIf(func(c fsys.Call) bool {
				if c.Op != "exchange" && c.Op != "rename" && c.Op != "remove" || late {
					return false
				}
				late = true
				err := fsys.WriteAtomic(t.Context(), mem, "d/a.md", []byte("theirs"), fsys.Any(), fsys.WriteOptions{})
				if err != nil {
					t.Error(err)
				}
				return false
			}, nil)
			if err := op.run(t.Context(), fault); !errors.Is(err, fsys.ErrChanged) || errors.Is(err, fsys.ErrNotDurable) {
				t.Errorf("error %v", err)
			}
			if got := dump(t, mem, false); got != "d/\nd/a.md=theirs\n" {
				t.Error(got)
			}
		})
	}
}

// A change from outside between the first look and the rename is seen.
func TestLateChange(t *testing.T) {
	t.Parallel()
	for _, op := range operations[:2] {
		t.Run(op.name, func(t *testing.T) {
			mem := settled(t)
			fault := fsys.NewFault(mem)
			late := false
			fault.FailIf(func(c fsys.Call) bool {
				if c.Op != "close" || !fsys.IsTemp(c.Name) || late {
					return false
				}
				late = true
				for _, name := range []string{"d/a.md", "d/b.md"} {
					err := fsys.WriteAtomic(t.Context(), mem, name, []byte("theirs"), fsys.Any(), fsys.WriteOptions{})
					if err != nil {
						t.Error(err)
					}
				}
				return false
			}, nil)
			if err := op.run(t.Context(), fault); !errors.Is(err, fsys.ErrChanged) {
				t.Errorf("error %v", err)
			}
			if got := dump(t, mem, false); got != "d/\nd/a.md=theirs\nd/b.md=theirs\n" {
				t.Error(got)
			}
		})
	}
}
