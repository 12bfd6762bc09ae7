package write_test

import (
	"context"
	"errors"
	"testing"

	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/files/fsys"
	"github.com/cairn-kb/cairn/internal/files/fsystest"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory/write"
	"github.com/cairn-kb/cairn/internal/memory/write/writetest"
	"github.com/cairn-kb/cairn/internal/store"
)

var errStop = errors.New("stopped here")

// stopAt makes the writer die before a step of the next change set.
func stopAt(t *testing.T, m *writetest.Memory, at write.Step, req write.Request) {
	t.Helper()
	m.Writer.Step = func(step write.Step) error {
		if step == at {
			return errStop
		}
		return nil
	}
	if _, err := m.Writer.Apply(context.Background(), req); !errors.Is(err, errStop) {
		t.Fatalf("not stopped: %v", err)
	}
	m.Writer.Step = nil
}

func opener(spaces ...*write.Space) func(context.Context, int64) (*write.Space, error) {
	return func(_ context.Context, row int64) (*write.Space, error) {
		for _, s := range spaces {
			if s.Row == row {
				return s, nil
			}
		}
		return nil, kb.Errorf(kb.NotFound, "no such space")
	}
}

// A change set over a directory and a database space happens in both or in
// neither, wherever its process dies.
func TestChangeSetOverBothKindsOfSpace(t *testing.T) {
	t.Parallel()
	for _, step := range []write.Step{write.StepJournal, write.StepReplace, write.StepIndex} {
		t.Run(string(step), func(t *testing.T) {
			m := writetest.New(t)
			mem := m.Files(nil)
			dir, rows := m.Space("notes", mem), m.Space("memory", nil)
			m.Apply(request(put(dir, "a.md", "a\n"), put(rows, "b.md", "b\n"), put(rows, "c.md", "c\n")))
			stopAt(t, m, step, request(
				edit(dir, "a.md", doc.Append{Text: "more\n"}), edit(rows, "b.md", doc.Append{Text: "more\n"}),
				write.Change{Space: rows, Path: "c.md", Action: write.Delete{}}, put(rows, "d.md", "d\n")))
			m.Reopen()
			if _, err := m.Writer.Recover(context.Background(), opener(dir, rows)); err != nil {
				t.Fatal(err)
			}
			want := map[string]string{"b.md": "b\n", "c.md": "c\n"}
			if fsystest.Get(t, mem, "a.md") != "a\n" {
				want = map[string]string{"b.md": "b\n\nmore\n", "d.md": "d\n"}
			}
			pages := m.Pages(rows)
			for path, text := range want {
				if p, there := pages[path]; !there || m.Bytes(p) != text {
					t.Errorf("%s is not %q", path, text)
				}
			}
			if len(pages) != len(want) || m.Pending() != 0 {
				t.Errorf("%d pages, %d entries", len(pages), m.Pending())
			}
		})
	}
}

// What a process leaves unfinished is finished by the next writer of the
// space, also by one that was there before: nothing is built on half of it.
func TestLivingWriterFinishesWhatADeadOneLeft(t *testing.T) {
	t.Parallel()
	m := writetest.New(t)
	mem := m.Files(nil)
	s := m.Space("notes", mem)
	m.Apply(request(put(s, "a.md", "a\n"), put(s, "b.md", "b\n")))
	if _, err := m.Writer.Recover(context.Background(), opener(s)); err != nil {
		t.Fatal(err)
	}
	replaced := 0
	m.Writer.Step = func(step write.Step) error {
		if step == write.StepReplace {
			replaced++
		}
		if replaced == 2 {
			return errStop
		}
		return nil
	}
	_, err := m.Writer.Apply(context.Background(), request(
		edit(s, "a.md", doc.Append{Text: "dead\n"}), edit(s, "b.md", doc.Append{Text: "dead\n"})))
	m.Writer.Step = nil
	if !errors.Is(err, errStop) {
		t.Fatal(err)
	}
	m.Apply(request(edit(s, "a.md", doc.Append{Text: "alive\n"})))
	for name, want := range map[string]string{"a.md": "a\n\ndead\n\nalive\n", "b.md": "b\n\ndead\n"} {
		if got := fsystest.Get(t, mem, name); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
	if m.Pending() != 0 {
		t.Error("the entry is left")
	}
}

// A sync of another process may find a moved file before the move is
// recovered. That must not stop the recovery, and with it every command.
func TestRecoverAfterASyncFoundTheMove(t *testing.T) {
	t.Parallel()
	m := writetest.New(t)
	mem := m.Files(nil)
	s := m.Space("notes", mem)
	m.Apply(request(put(s, "a.md", "a\n")))
	stopAt(t, m, write.StepIndex, request(write.Change{Space: s, Path: "a.md", Action: write.Move{To: "b.md"}}))
	if _, err := m.Writer.RefreshIfChanged(context.Background(), s, "b.md", write.Known{}, store.ReadPatience); err != nil { // as a sync indexes it
		t.Fatal(err)
	}
	m.Reopen()
	if _, err := m.Writer.Recover(context.Background(), opener(s)); err != nil {
		t.Fatal(err)
	}
	pages := m.Pages(s)
	if p, there := pages["b.md"]; !there || m.Bytes(p) != fsystest.Get(t, mem, "b.md") || m.Pending() != 0 {
		t.Errorf("pages %v, %d entries", pages, m.Pending())
	}
}

// An unfinished write in a directory that is not there now waits for it, and
// stops nobody elsewhere.
func TestRecoverWaitsForASpaceThatCannotBeOpened(t *testing.T) {
	t.Parallel()
	m := writetest.New(t)
	mem := m.Files(nil)
	s, other := m.Space("notes", mem), m.Space("other-notes", m.Files(nil))
	m.Apply(request(put(s, "a.md", "a\n")))
	stopAt(t, m, write.StepIndex, request(edit(s, "a.md", doc.Append{Text: "more\n"})))
	m.Reopen()
	mounted := false
	open := func(ctx context.Context, row int64) (*write.Space, error) {
		if row == s.Row && !mounted {
			return nil, kb.Errorf(kb.Internal, "the directory is not there")
		}
		return opener(s, other)(ctx, row)
	}
	done, err := m.Writer.Recover(context.Background(), open)
	if err != nil || len(done) != 0 || m.Pending() != 1 {
		t.Fatalf("recovered %v, %v, %d entries", done, err, m.Pending())
	}
	m.Apply(request(put(other, "b.md", "b\n")))
	mounted = true
	m.Apply(request(put(s, "c.md", "c\n")))
	if p := m.Pages(s)["a.md"]; m.Bytes(p) != "a\n\nmore\n" || m.Pending() != 0 {
		t.Errorf("a.md is in version %d, %d entries", p.Version, m.Pending())
	}
}

// Bytes that an editor puts in place between the last look at a file and its
// replacement stay, and the writer is told of a conflict.
func TestEditorInTheLastInstant(t *testing.T) {
	t.Parallel()
	for name, act := range map[string]func(s *write.Space) write.Change{
		"edit":   func(s *write.Space) write.Change { return edit(s, "a.md", doc.Append{Text: "mine\n"}) },
		"delete": func(s *write.Space) write.Change { return write.Change{Space: s, Path: "a.md", Action: write.Delete{}} },
	} {
		t.Run(name, func(t *testing.T) {
			m := writetest.New(t)
			mem := m.Files(nil)
			s := m.Space("notes", mem)
			m.Apply(request(put(s, "a.md", "a\n")))
			fault := fsys.NewFault(mem)
			late := false
			fault.FailIf(func(c fsys.Call) bool {
				if (c.Op == "exchange" || c.Op == "rename" || c.Op == "remove") && !late {
					late = true
					if err := fsys.WriteAtomic(context.Background(), mem, "a.md", []byte("theirs\n"), fsys.Any(), fsys.WriteOptions{}); err != nil {
						t.Error(err)
					}
				}
				return false
			}, nil)
			s.Files = fault
			if _, err := m.Writer.Apply(context.Background(), request(act(s))); kb.CodeOf(err) != kb.Conflict {
				t.Errorf("got %v", err)
			}
			if got := fsystest.Get(t, mem, "a.md"); got != "theirs\n" || m.Pending() != 0 {
				t.Errorf("a.md is %q, %d entries", got, m.Pending())
			}
			m.Apply(request(edit(s, "a.md", doc.Append{Text: "works\n"})))
		})
	}
}

// A reader goes on with what is known while a writer holds the lock.
func TestLookWaitsForNobody(t *testing.T) {
	t.Parallel()
	m := writetest.New(t)
	mem := m.Files(nil)
	s := m.Space("notes", mem)
	m.Apply(request(put(s, "a.md", "a\n")))
	if err := fsys.WriteAtomic(context.Background(), mem, "a.md", []byte("theirs\n"), fsys.Any(), fsys.WriteOptions{}); err != nil {
		t.Fatal(err)
	}
	m.Writer.Lock = func(ctx context.Context, _ kb.Space) (func() error, error) {
		<-ctx.Done()
		return nil, context.Cause(ctx)
	}
	found, err := m.Writer.RefreshIfChanged(context.Background(), s, "a.md", write.Known{Text: m.Pages(s)["a.md"].Hash}, store.ReadPatience)
	if found != write.FileNewer || err != nil {
		t.Errorf("got %v, %v", found, err)
	}
}
