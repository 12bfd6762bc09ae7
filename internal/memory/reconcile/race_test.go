package reconcile_test

import (
	"context"
	"testing"

	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/files/fsys"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory/reconcile"
	"github.com/cairn-kb/cairn/internal/memory/write"
	"github.com/cairn-kb/cairn/internal/memory/write/writetest"
	"github.com/cairn-kb/cairn/internal/store"
)

func apply(t *testing.T, m *writetest.Memory, changes ...write.Change) {
	t.Helper()
	m.Apply(write.Request{Actor: kb.Actor{Kind: kb.Human}, Operation: "test", Changes: changes})
}

// during runs act once, when a sync makes the call that matches.
func during(files *fsys.Mem, match func(fsys.Call) bool, act func()) *fsys.Fault {
	fault := fsys.NewFault(files)
	done := false
	fault.FailIf(func(c fsys.Call) bool {
		if !done && match(c) {
			done = true
			act()
		}
		return false
	}, nil)
	return fault
}

// A page that is written while a sync lists the directory is in the index and
// not in the listing. It is no deleted one.
func TestPageWrittenDuringTheScanStays(t *testing.T) {
	t.Parallel()
	m := writetest.New(t)
	mem := m.Files(map[string]string{"a.md": "a\n", "d/b.md": "b\n"})
	s := m.Space("notes", mem)
	sync1(t, m, s, reconcile.Options{})
	own := *s
	// The root has been listed when the directory in it is.
	own.Files = during(mem, func(c fsys.Call) bool { return c.Op == "readdir" && c.Name == "d" }, func() {
		apply(t, m, write.Change{Space: s, Path: "new.md", Action: write.Put{Bytes: []byte("new\n")}})
	})
	sync1(t, m, &own, reconcile.Options{})
	p, there := m.Pages(s)["new.md"]
	if !there || p.Version != 1 {
		t.Errorf("the page is in the index: %t, in version %d", there, p.Version)
	}
}

// A page that is deleted while a sync looks at it is no failure of the sync.
func TestPageDeletedWhileItIsLookedAt(t *testing.T) {
	t.Parallel()
	m := writetest.New(t)
	mem := m.Files(map[string]string{"a.md": "a\n", "b.md": "b\n"})
	s := m.Space("notes", mem)
	sync1(t, m, s, reconcile.Options{})
	own := *s
	own.Files = during(mem, func(c fsys.Call) bool { return c.Op == "open" && c.Name == "b.md" }, func() {
		apply(t, m, write.Change{Space: s, Path: "a.md", Action: write.Delete{}})
	})
	sync1(t, m, &own, reconcile.Options{Full: true})
	if pages := m.Pages(s); len(pages) != 1 {
		t.Errorf("pages %v", pages)
	}
}

// A page may be written after the directory was listed and before the index is
// asked. The bytes are then those that the index knows, and the size and the time
// of the listing are those before: they must not come into the index.
func TestPageWrittenBetweenListingAndIndex(t *testing.T) {
	t.Parallel()
	for name, full := range map[string]bool{"by size": false, "by bytes": true} {
		m := writetest.New(t)
		mem := m.Files(map[string]string{"a.md": "a\n", "d/b.md": "b\n"})
		s := m.Space("notes", mem)
		sync1(t, m, s, reconcile.Options{})
		own := *s
		own.Files = during(mem, func(c fsys.Call) bool { return c.Op == "readdir" && c.Name == "d" }, func() {
			apply(t, m, write.Change{Space: s, Path: "a.md", Action: write.Put{Bytes: []byte("a, and much more\n"), Overwrite: true}})
		})
		sync1(t, m, &own, reconcile.Options{Full: full})
		err := m.DB.View(context.Background(), func(tx store.Tx) error {
			d, err := tx.Documents().ByPath(context.Background(), s.Row, "a.md")
			if err != nil {
				return err
			}
			info, err := mem.Lstat("a.md")
			if err == nil && (d.Size != info.Size() || !d.ModTime.Equal(info.ModTime())) {
				t.Errorf("%s: the index has size %d and time %v, the file %d and %v", name, d.Size, d.ModTime, info.Size(), info.ModTime())
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

// A file that was read in a state which did not last is not indexed so.
func TestFileThatChangedSinceItWasRead(t *testing.T) {
	t.Parallel()
	m := writetest.New(t)
	mem := m.Files(map[string]string{"a.md": "a\n"})
	s := m.Space("notes", mem)
	sync1(t, m, s, reconcile.Options{})
	replace(t, mem, "a.md", "a, for a moment\n")
	syn := syncer(m)
	lock := m.Writer.Lock
	m.Writer.Lock = func(ctx context.Context, space kb.Space) (func() error, error) {
		replace(t, mem, "a.md", "a\n") // taken back before the lock was had
		m.Writer.Lock = lock
		return lock(ctx, space)
	}
	r, err := syn.Sync(context.Background(), s, reconcile.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Plan.Changed) != 0 || r.Indexed != 0 {
		t.Errorf("what was left is reported as done: %+v", r.Plan)
	}
	sync1(t, m, s, reconcile.Options{})
	if p := m.Pages(s)["a.md"]; p.Version != 1 || m.Bytes(p) != "a\n" {
		t.Errorf("version %d, %q", p.Version, m.Bytes(p))
	}
}

// A sync that runs beside a process that died in the middle of a change set
// finishes it first.
func TestSyncFinishesWhatADeadWriterLeft(t *testing.T) {
	t.Parallel()
	m := writetest.New(t)
	mem := m.Files(map[string]string{"a.md": "a\n", "b.md": "b\n"})
	s := m.Space("notes", mem)
	if _, err := m.Writer.Recover(context.Background(), func(context.Context, int64) (*write.Space, error) { return s, nil }); err != nil {
		t.Fatal(err)
	}
	sync1(t, m, s, reconcile.Options{})
	replaced := 0
	m.Writer.Step = func(step write.Step) error {
		if step == write.StepReplace {
			replaced++
		}
		if replaced == 2 {
			return context.Canceled
		}
		return nil
	}
	edit := func(path string) write.Change {
		return write.Change{Space: s, Path: path, Action: write.Edit{Edits: []doc.Edit{doc.Append{Text: "more\n"}}}}
	}
	if _, err := m.Writer.Apply(context.Background(), write.Request{Operation: "test", Changes: []write.Change{edit("a.md"), edit("b.md")}}); err == nil {
		t.Fatal("not stopped")
	}
	m.Writer.Step = nil
	sync1(t, m, s, reconcile.Options{})
	for path, want := range map[string]string{"a.md": "a\n\nmore\n", "b.md": "b\n\nmore\n"} {
		if got := m.Bytes(m.Pages(s)[path]); got != want {
			t.Errorf("%s is %q, want %q", path, got, want)
		}
	}
	if m.Pending() != 0 {
		t.Error("the entry is left")
	}
}

// A document may declare the id that another one's path gave it, as when a
// moved page comes back by git beside the old one. The sync must not fail for
// it, and decides as a rebuild would.
func TestDeclaredIDThatAPathGaveToAnother(t *testing.T) {
	t.Parallel()
	m := writetest.New(t)
	mem := m.Files(map[string]string{"a.md": "a\n"})
	s := m.Space("notes", mem)
	sync1(t, m, s, reconcile.Options{})
	id := m.Pages(s)["a.md"].ID
	writetest.Put(t, mem, "b.md", "---\nid: "+string(id)+"\n---\nb\n")
	sync1(t, m, s, reconcile.Options{})
	pages := m.Pages(s)
	if pages["b.md"].ID != id || pages["a.md"].ID == id || pages["a.md"].ID == "" {
		t.Errorf("a.md has %s, b.md %s", pages["a.md"].ID, pages["b.md"].ID)
	}
	if again := sync1(t, m, s, reconcile.Options{Full: true}); again.Indexed != 0 {
		t.Errorf("not settled: %+v", again.Plan)
	}
	fresh := writetest.New(t)
	same := fresh.Space("notes", mem)
	sync1(t, fresh, same, reconcile.Options{})
	for path, p := range fresh.Pages(same) {
		if p.ID != pages[path].ID {
			t.Errorf("a rebuild gives %s the id %s, not %s", path, p.ID, pages[path].ID)
		}
	}
}
