package write_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/files/fsys"
	"github.com/cairn-kb/cairn/internal/memory/write"
	"github.com/cairn-kb/cairn/internal/memory/write/writetest"
)

// What was staged for one change set is not taken for another program's file by
// the recovery of another: no history gets bytes that the page never had.
func TestStagedFilesAreNobodyElses(t *testing.T) {
	t.Parallel()
	m := writetest.New(t)
	files := m.Files(nil)
	s := m.Space("notes", files)
	m.Apply(request(put(s, "a.md", "old a\n"), put(s, "b.md", "old b\n")))
	stop, replaced := errors.New("stopped here"), 0
	m.Writer.Step = func(step write.Step) error {
		if step == write.StepReplace {
			replaced++
		}
		if replaced > 1 {
			return stop
		}
		return nil
	}
	together(t, m, s, callers(
		request(edit(s, "a.md", doc.Append{Text: "more of a\n"})),
		request(edit(s, "b.md", doc.Append{Text: "more of b\n"})),
	), nil)
	m.Writer.Step = nil
	settled := files.CrashClone(fsys.KeepAll)
	m.Reopen()
	s.Files = settled
	if _, err := m.Writer.Recover(context.Background(), func(context.Context, int64) (*write.Space, error) { return s, nil }); err != nil {
		t.Fatal(err)
	}
	for path, p := range m.Pages(s) {
		want := 2
		if path == "b.md" {
			want = 1
		}
		if v := m.Versions(s, p.ID); len(v) != want {
			t.Errorf("%s has %d versions, want %d: %+v", path, len(v), want, v)
		}
	}
}

// syncs counts how many files are being flushed at once.
type syncs struct {
	fsys.FS
	now  atomic.Int64
	all  chan struct{} // closed when as many as are wanted are at it
	want int64
}

type syncFile struct {
	fsys.File
	of *syncs
}

func (s *syncs) Create(name string, perm fs.FileMode) (fsys.File, error) {
	f, err := s.FS.Create(name, perm)
	return syncFile{f, s}, err
}

func (f syncFile) Sync() error {
	if f.of.now.Add(1) == f.of.want {
		close(f.of.all)
	}
	<-f.of.all
	return f.File.Sync()
}

// The files of a change set are flushed side by side: none of them would get
// anywhere alone here.
func TestFilesAreFlushedSideBySide(t *testing.T) {
	t.Parallel()
	m := writetest.New(t)
	tree := &syncs{FS: m.Files(nil), all: make(chan struct{}), want: 4}
	s := m.Space("notes", tree)
	var changes []write.Change
	for i := range 4 {
		changes = append(changes, put(s, fmt.Sprintf("%d.md", i), "text\n"))
	}
	m.Apply(request(changes...))
	if n := len(m.Pages(s)); n != 4 {
		t.Errorf("%d pages", n)
	}
}

// A change set of which one file cannot be staged leaves nothing behind.
func TestNothingStaysStaged(t *testing.T) {
	t.Parallel()
	m := writetest.New(t)
	files := m.Files(nil)
	fault := fsys.NewFault(files)
	s := m.Space("notes", fault)
	created := 0
	fault.FailIf(func(c fsys.Call) bool {
		if c.Op == "create" {
			created++
		}
		return c.Op == "create" && created == 3
	}, syscall.ENOSPC)
	_, err := m.Writer.Apply(context.Background(), request(put(s, "1.md", "1\n"), put(s, "2.md", "2\n"), put(s, "3.md", "3\n"), put(s, "4.md", "4\n")))
	if !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("it said %v", err)
	}
	if left := writetest.Tree(t, files); len(left) != 0 || m.Pending() != 0 {
		t.Errorf("left are %v, and %d entries", left, m.Pending())
	}
}

// flushed counts the flushes of single files, and has one for all of them.
type flushed struct {
	fsys.FS
	single, whole, placed atomic.Int64
	early                 atomic.Bool // a file was placed before the flush
	fail                  error
}

type flushedFile struct {
	fsys.File
	of *flushed
}

func (f *flushed) Create(name string, perm fs.FileMode) (fsys.File, error) {
	file, err := f.FS.Create(name, perm)
	return flushedFile{file, f}, err
}

func (f flushedFile) Sync() error {
	f.of.single.Add(1)
	return f.File.Sync()
}

func (f *flushed) Link(from, to string) error {
	if f.whole.Load() == 0 {
		f.early.Store(true)
	}
	f.placed.Add(1)
	return f.FS.Link(from, to)
}

func (f *flushed) OpenFlush([]string) (fsys.Flush, error) { return f, nil }

func (f *flushed) Sync() error {
	f.whole.Add(1)
	return f.fail
}

func (f *flushed) Close() error { return nil }

// Thousands of files are flushed by one call, before the first is in its place.
func TestManyFilesAreFlushedAtOnce(t *testing.T) {
	t.Parallel()
	const n = 70
	m := writetest.New(t)
	files := m.Files(nil)
	tree := &flushed{FS: files}
	s := m.Space("notes", tree)
	var changes []write.Change
	for i := range n {
		changes = append(changes, put(s, fmt.Sprintf("%d.md", i), "text\n"))
	}
	tree.fail = syscall.EIO
	if _, err := m.Writer.Apply(context.Background(), request(changes...)); !errors.Is(err, syscall.EIO) {
		t.Errorf("it said %v", err)
	}
	if left := writetest.Tree(t, files); len(left) != 0 || tree.placed.Load() != 0 || m.Pending() != 0 {
		t.Errorf("left are %v, %d were placed, and %d entries", left, tree.placed.Load(), m.Pending())
	}
	tree.fail = nil
	m.Apply(request(changes...))
	if got := len(m.Pages(s)); got != n || tree.early.Load() || tree.single.Load() != 0 || tree.whole.Load() != 2 {
		t.Errorf("%d pages, %d flushes of one file, %d of all, placed before: %t", got, tree.single.Load(), tree.whole.Load(), tree.early.Load())
	}
}
