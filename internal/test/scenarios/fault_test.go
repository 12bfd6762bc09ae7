package scenarios_test

import (
	"context"
	"errors"
	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/memory"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/files/fsys"
	"github.com/cairn-kb/cairn/internal/files/fsystest"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/knowledge/assertion"
	"github.com/cairn-kb/cairn/internal/knowledge/ingest"
	"github.com/cairn-kb/cairn/internal/memory/change"
	"github.com/cairn-kb/cairn/internal/memory/contradiction"
	"github.com/cairn-kb/cairn/internal/memory/embedding"
	"github.com/cairn-kb/cairn/internal/memory/history"
	"github.com/cairn-kb/cairn/internal/memory/links"
	"github.com/cairn-kb/cairn/internal/memory/read"
	"github.com/cairn-kb/cairn/internal/memory/retrieve"
	"github.com/cairn-kb/cairn/internal/memory/space"
	"github.com/cairn-kb/cairn/internal/memory/write"
	"github.com/cairn-kb/cairn/internal/test/apptest"
	"github.com/cairn-kb/cairn/internal/test/slowtest"
	"github.com/cairn-kb/cairn/internal/upkeep/backup"
	"github.com/cairn-kb/cairn/internal/upkeep/doctor"
	"github.com/cairn-kb/cairn/internal/upkeep/gitsync"
)

// useCase is something that a user does, to which the machine does harm.
type useCase struct {
	name string
	// prepare happens before, undisturbed.
	prepare func(s *scene)
	run     func(ctx context.Context, s *scene) error
	// parts says that it may stop between its parts, each of which is whole;
	// repeating it does the rest.
	parts bool
	// noFiles says that it touches the memory alone.
	noFiles bool
	// reads says that it changes nothing that a user sees.
	reads bool
}

func written[T any](_ T, err error) error { return err }

var useCases = []useCase{
	{name: "put new", run: func(ctx context.Context, s *scene) error {
		return written(change.Put(ctx, s.app, change.PutRequest{Ref: "deep/er/new", Title: "New", Text: []byte("text\n")}))
	}},
	{name: "put over", run: func(ctx context.Context, s *scene) error {
		return written(change.Put(ctx, s.app, change.PutRequest{Ref: "a", Text: []byte("over\n"), Overwrite: true}))
	}},
	{name: "put in the memory", noFiles: true, run: func(ctx context.Context, s *scene) error {
		return written(change.Put(ctx, s.app, change.PutRequest{Ref: "mem:new", Text: []byte("[[m1]]\n")}))
	}},
	{name: "remember", run: func(ctx context.Context, s *scene) error {
		return written(ingest.Capture(ctx, s.app, api.CaptureRequest{Text: "Something to know about A", Links: []string{"a"}}))
	}},
	{name: "edit", run: func(ctx context.Context, s *scene) error {
		return written(change.EditPage(ctx, s.app, change.EditRequest{Ref: "a", Edits: []doc.Edit{doc.Append{Text: "more\n"}, doc.AddTag{Tag: "y"}}}))
	}},
	{name: "edit of what an editor changed", prepare: func(s *scene) {
		replace(s.t, s.files, "c.md", "by an editor [[a]]\n")
	}, run: func(ctx context.Context, s *scene) error {
		return written(change.EditPage(ctx, s.app, change.EditRequest{Ref: "c", Edits: []doc.Edit{doc.Append{Text: "more\n"}}}))
	}, parts: true},
	{name: "edit of a title", run: func(ctx context.Context, s *scene) error {
		return written(change.EditPage(ctx, s.app, change.EditRequest{Ref: "a", Edits: []doc.Edit{doc.SetTitle{Title: "Other"}}}))
	}},
	{name: "link", run: func(ctx context.Context, s *scene) error {
		return written(links.Add(ctx, s.app, api.LinkRequest{From: "d/b", Type: "knows", To: "c"}))
	}},
	{name: "link close", run: func(ctx context.Context, s *scene) error {
		return written(links.Close(ctx, s.app, api.LinkRequest{From: "a", Type: "knows", To: "d/b", Until: "2026-02-01"}))
	}},
	{name: "unlink", run: func(ctx context.Context, s *scene) error {
		return written(links.Remove(ctx, s.app, api.LinkRequest{From: "a", Type: "knows", To: "d/b"}))
	}},
	{name: "timeline", run: func(ctx context.Context, s *scene) error {
		return written(change.AddEntry(ctx, s.app, change.AddEntryRequest{Ref: "a", Date: "2026-03-01", Text: "later"}))
	}},
	{name: "assert", run: func(ctx context.Context, s *scene) error {
		return written(assertion.Add(ctx, s.app, api.AssertRequest{Subject: "a", Predicate: "knows", Object: "c", Evidence: "by x"}))
	}},
	{name: "assert in the memory", noFiles: true, run: func(ctx context.Context, s *scene) error {
		return written(assertion.Add(ctx, s.app, api.AssertRequest{Subject: "mem:m1", Predicate: "knows", Object: "mem:m2"}))
	}},
	{name: "assert in the place of what another page keeps", run: func(ctx context.Context, s *scene) error {
		id, err := s.asserted(ctx, "Bonn")
		if err != nil {
			return err
		}
		return written(assertion.Add(ctx, s.app, api.AssertRequest{Subject: "a", Predicate: "lives_in", Object: "Ulm", Since: "2025", On: "last", Supersedes: id}))
	}},
	{name: "assertion that ends", run: func(ctx context.Context, s *scene) error {
		id, err := s.asserted(ctx, "Bonn")
		if err != nil {
			return err
		}
		return written(assertion.Close(ctx, s.app, api.AssertCloseRequest{ID: id, Until: "2025"}))
	}},
	{name: "resolve, which ends an assertion", run: func(ctx context.Context, s *scene) error {
		l, err := contradiction.List(ctx, s.app, contradiction.Request{Ref: "a", Types: []string{"cross_page"}})
		if err == nil && l.Total == 0 {
			err = kb.Errorf(kb.NotFound, "nothing to resolve").WithHint("Nothing was lost.")
		}
		if err != nil {
			return err
		}
		keep := "a"
		if l.Items[0].A.Object == "Bonn" {
			keep = "b"
		}
		return written(change.Resolve(ctx, s.app, contradiction.ResolveRequest{ID: l.Items[0].ID, Keep: keep, Until: "2025"}))
	}},
	{name: "data of a source", run: func(ctx context.Context, s *scene) error {
		return written(change.StoreSource(ctx, s.app, change.StoreRequest{Ref: "c", Source: "crm", Data: []byte(`{"n": 1}`)}))
	}},
	{name: "move of a page with a sidecar", run: func(ctx context.Context, s *scene) error {
		return written(change.Move(ctx, s.app, change.MoveRequest{Ref: "c", To: "e/f/c"}))
	}},
	{name: "delete of a page with a sidecar", run: func(ctx context.Context, s *scene) error {
		return written(change.Delete(ctx, s.app, change.DeleteRequest{Ref: "c"}))
	}},
	{name: "move", run: func(ctx context.Context, s *scene) error {
		return written(change.Move(ctx, s.app, change.MoveRequest{Ref: "a", To: "e/f/a"}))
	}},
	{name: "move in the memory", noFiles: true, run: func(ctx context.Context, s *scene) error {
		return written(change.Move(ctx, s.app, change.MoveRequest{Ref: "mem:m2", To: "other/m2"}))
	}},
	{name: "delete", run: func(ctx context.Context, s *scene) error {
		return written(change.Delete(ctx, s.app, change.DeleteRequest{Ref: "d/b"}))
	}},
	{name: "restore a version", run: func(ctx context.Context, s *scene) error {
		return written(change.Restore(ctx, s.app, change.RestoreRequest{Ref: "a", Version: 1}))
	}},
	{name: "restore a deleted page", run: func(ctx context.Context, s *scene) error {
		return written(change.Restore(ctx, s.app, change.RestoreRequest{Ref: "gone"}))
	}},
	{name: "undo the last write", run: func(ctx context.Context, s *scene) error {
		return written(change.Undo(ctx, s.app, history.UndoRequest{}))
	}},
	{name: "undo a write", run: func(ctx context.Context, s *scene) error {
		h, err := history.List(ctx, s.app, history.ListRequest{Ref: "a"})
		if err != nil {
			return err
		}
		return written(change.Undo(ctx, s.app, history.UndoRequest{Write: h.Items[0].Write}))
	}},
	{name: "undo of an actor, many pages of both spaces", run: func(ctx context.Context, s *scene) error {
		return written(change.Undo(ctx, s.app, history.UndoRequest{Actor: "agent:x", Since: "2026-01-01"}))
	}},
	{name: "undo of an actor, by force", run: func(ctx context.Context, s *scene) error {
		return written(change.Undo(ctx, s.app, history.UndoRequest{Actor: "agent:x", Since: "2026-01-01", Force: true}))
	}},
	{name: "sync", parts: true, prepare: func(s *scene) {
		replace(s.t, s.files, "c.md", "by an editor [[a]]\n")
		fsystest.Put(s.t, s.files, "fresh.md", "fresh [[c]]\n")
		fsystest.Put(s.t, s.files, ".cairn-tmp-0123456789abcdef", "of a killed process\n")
		if err := errors.Join(s.files.Rename("last.md", "d/last.md"), s.files.Remove("d/b.md")); err != nil {
			s.t.Fatal(err)
		}
	}, run: func(ctx context.Context, s *scene) error {
		return written(gitsync.Sync(ctx, s.app, gitsync.SyncRequest{Space: "notes", Full: true}))
	}},
	{name: "search that syncs", parts: true, prepare: func(s *scene) {
		replace(s.t, s.files, "c.md", "by an editor [[a]]\n")
	}, run: func(ctx context.Context, s *scene) error {
		return written(read.Search(ctx, s.app, retrieve.SearchRequest{Query: "editor", Sync: true}))
	}},
	{name: "get", reads: true, run: func(ctx context.Context, s *scene) error {
		return written(read.Get(ctx, s.app, read.GetRequest{Ref: "a"}))
	}},
	{name: "recovery", parts: true, prepare: func(s *scene) {
		dead := errors.New("dead")
		apptest.DieAt(s.app, write.StepIndex, dead)
		if _, err := change.Move(s.t.Context(), s.app, change.MoveRequest{Ref: "a", To: "e/a"}); !errors.Is(err, dead) {
			s.t.Fatal(err)
		}
		apptest.DieAt(s.app, "", nil)
		if err := s.app.Close(); err != nil {
			s.t.Fatal(err)
		}
		s.app = nil
	}, run: func(ctx context.Context, s *scene) error {
		if s.app != nil {
			return nil // the next process has recovered it
		}
		a, err := memory.Open(ctx, s.opts, false)
		if err == nil {
			s.app = a
		}
		return err
	}},
	{name: "space add", parts: true, run: func(ctx context.Context, s *scene) error {
		return written(gitsync.AddSpace(ctx, s.app, space.AddRequest{Root: filepath.Join(s.root, "more"), Name: "more"}))
	}},
	{name: "space attach", run: func(ctx context.Context, s *scene) error {
		return written(s.app.Spaces.Attach(ctx, filepath.Join(s.root, "more")))
	}},
	{name: "space remove", noFiles: true, run: func(ctx context.Context, s *scene) error {
		_, err := s.app.Spaces.Remove(ctx, space.RemoveRequest{Name: "notes"})
		if kb.CodeOf(err) == kb.NotFound {
			return nil // repeated
		}
		return err
	}},
	{name: "doctor --fix", parts: true, prepare: func(s *scene) {
		fsystest.Put(s.t, s.files, "fresh.md", "fresh [[c]]\n")
		fsystest.Put(s.t, s.files, ".cairn-tmp-0123456789abcdef", "of a killed process\n")
	}, run: func(ctx context.Context, s *scene) error {
		checks, err := doctor.Doctor(ctx, s.app, false)
		if err != nil {
			return err
		}
		done, err := doctor.Mend(ctx, s.app, doctor.Fixable(checks))
		for _, m := range done {
			if m.Error != "" {
				err = errors.Join(err, kb.Errorf(kb.Internal, "%s", m.Error).WithHint("%s", m.Hint))
			}
		}
		return err
	}},
	{name: "backup", noFiles: true, reads: true, run: func(ctx context.Context, s *scene) error {
		err := written(backup.Backup(ctx, s.app, filepath.Join(s.home, "backup.db")))
		if kb.CodeOf(err) == kb.Conflict {
			return nil // repeated
		}
		return err
	}},
	{name: "compact", noFiles: true, reads: true, run: func(ctx context.Context, s *scene) error { return written(backup.Compact(ctx, s.app)) }},
	{name: "embed", noFiles: true, reads: true, run: func(ctx context.Context, s *scene) error {
		return written(embedding.Embed(ctx, s.app, embedding.Request{All: true}))
	}},
}

// replace saves a file as editors do.
func replace(t *testing.T, m *fsys.Mem, name, text string) {
	t.Helper()
	if err := fsys.WriteAtomic(t.Context(), m, name, []byte(text), fsys.Any(), fsys.WriteOptions{}); err != nil {
		t.Fatal(err)
	}
}

// TestFaultAtEveryCallOfEveryUseCase lets every call to a file system and to
// the memory fail in turn, as a full, broken, read-only or forbidden disk
// makes it. The caller is told what happened, that nothing was lost, and what
// to do; what was there is there; and the next attempt works.
func TestFaultAtEveryCallOfEveryUseCase(t *testing.T) {
	t.Parallel()
	slowtest.NoRace(t, "one thing after the other, many times")
	bed, step := newFaultBed(t), slowtest.Step(41)
	for _, m := range faultModes {
		for _, u := range useCases {
			if m.stays && u.noFiles {
				continue
			}
			t.Run(m.name+"/"+u.name, func(t *testing.T) {
				t.Parallel()
				faults(t, bed, m, u, m.step*step)
			})
		}
	}
}

func faults(t *testing.T, bed *faultBed, m faultMode, u useCase, step int) {
	before, after := undisturbed(t, bed, u)
	if !u.reads && maps.Equal(before, after) {
		t.Fatal("it changes nothing: the test shows nothing")
	}
	failed := 0
	s := bed.scene(t).prepare(u)
	defer func() { s.close() }()
	for n := 1; ; n += step {
		calls, err := s.try(u, m, n)
		if calls < n {
			s.look(u, n, err, before, after)
			break
		}
		if err != nil {
			failed++
		}
		// Where nothing happened, the next attempt is made in the same place:
		// that nothing bars the way is a part of the promise.
		if err != nil && !u.parts && u.prepare == nil && s.app != nil && s.untouched(before) {
			s.sayable(n, err)
			continue
		}
		s.look(u, n, err, before, after)
		s.close()
		if s = bed.scene(t).prepare(u); t.Failed() {
			break
		}
	}
	if failed == 0 && !m.stays && step == m.step { // else the calls that failed may be those that are not needed
		t.Error("nothing ever failed: the test shows nothing")
	}
}

// untouched reports whether everything is as it was before.
func (s *scene) untouched(before map[string]string) bool {
	s.t.Helper()
	unfinished := apptest.OK(apptest.Unfinished(s.t.Context(), s.app))(s.t)
	return unfinished == 0 && len(s.temps()) == 0 && maps.Equal(s.state(), before)
}

// undisturbed returns the states before and after.
func undisturbed(t *testing.T, bed *faultBed, u useCase) (before, after map[string]string) {
	t.Helper()
	s := bed.scene(t)
	defer s.close()
	before = s.state()
	s.prepare(u)
	if _, err := s.try(u, faultModes[0], 0); err != nil {
		t.Fatalf("undisturbed: %v", err)
	}
	s.settle()
	return before, s.state()
}

// prepare makes the scene ready for a use case.
func (s *scene) prepare(u useCase) *scene {
	s.t.Helper()
	if u.prepare != nil {
		u.prepare(s)
	}
	return s
}

// where says what failed.
func (s *scene) where() string { return s.count.op + " " + s.count.name }

// try does the use case while the n-th call fails, and returns how many calls
// it made.
func (s *scene) try(u useCase, m faultMode, n int) (calls int, err error) {
	s.t.Helper()
	s.count.arm(n, m)
	err = u.run(s.t.Context(), s)
	return s.count.disarm(), err
}

// settle is what the next command finds.
func (s *scene) settle() {
	s.t.Helper()
	if s.app == nil {
		s.open()
	}
	if _, err := gitsync.Sync(s.t.Context(), s.app, gitsync.SyncRequest{Space: "*"}); err != nil {
		s.t.Errorf("the next sync: %v", err)
	}
}

// look checks what is left of a use case in which one call failed.
func (s *scene) look(u useCase, n int, err error, before, after map[string]string) {
	t := s.t
	t.Helper()
	if err != nil {
		s.sayable(n, err)
	}
	untidy := s.count.op == "remove" || s.count.stays // it could not tidy up
	if left := s.temps(); len(left) > 0 && !untidy && u.prepare == nil {
		t.Errorf("call %d (%s) left %q", n, s.where(), left)
	}
	if s.app != nil {
		s.lostNothing(n)
	}
	s.settle()
	now := s.state()
	done := maps.Equal(now, after)
	switch {
	case done && err != nil && !u.reads && !u.parts && !happened(err):
		t.Errorf("call %d (%s): %v was said, and it happened", n, s.where(), err)
	case done:
	case err == nil:
		t.Errorf("call %d (%s): success was said, and it did not happen:\n%s", n, s.where(), cmp.Diff(after, now))
	case !u.parts && !maps.Equal(now, before):
		t.Errorf("call %d (%s): neither the old nor the new state:\n%s", n, s.where(), cmp.Diff(before, now))
	}
	if !done {
		if err := u.run(t.Context(), s); err != nil {
			t.Errorf("call %d (%s): repeated: %v", n, s.where(), err)
		}
		s.settle()
		if now := s.state(); !maps.Equal(now, after) {
			t.Errorf("call %d (%s): repeating it does not do it:\n%s", n, s.where(), cmp.Diff(after, now))
		}
	}
	if left := s.temps(); len(left) > 0 {
		t.Errorf("call %d (%s): a sync left %q", n, s.where(), left)
	}
	for _, c := range apptest.OK(doctor.Doctor(t.Context(), s.app, true))(t) {
		if c.State != "ok" {
			t.Errorf("call %d (%s): %s: %s %q", n, s.where(), c.Name, c.Reason, c.Items)
		}
	}
	if _, err := os.Stat(s.opts.DB); err != nil {
		t.Error(err)
	}
}

// lostNothing checks that a sync or a look has taken no page out of the index
// whose file is there.
func (s *scene) lostNothing(n int) {
	s.t.Helper()
	changes := apptest.OK(history.Recent(s.t.Context(), s.app, history.RecentRequest{Since: "2026-01-01", All: true}))(s.t)
	for _, v := range changes.Items {
		if v.Op != "sync" || v.Change != kb.Deleted {
			continue
		}
		if _, err := s.files.Lstat(v.Path); err == nil {
			s.t.Errorf("call %d (%s): %s is taken out of the index", n, s.where(), v.Path)
		}
	}
}

// happened reports whether an error says that the change was made all the
// same.
func happened(err error) bool {
	return errors.Is(err, fsys.ErrNotDurable) || strings.HasPrefix(kb.AsError(err).Hint, "Nothing was lost: ")
}

// sayable checks that an error says what happened, that nothing was lost, and
// what to do.
func (s *scene) sayable(n int, err error) {
	t, at, stays := s.t, s.where(), s.count.stays
	t.Helper()
	e := kb.AsError(err)
	hint := strings.ToLower(e.Hint)
	if !strings.HasPrefix(hint, "nothing was ") && !errors.Is(err, fsys.ErrNotDurable) {
		t.Errorf("call %d (%s): %q does not say whether something was lost: %q", n, at, e.Message, e.Hint)
	}
	if e.Code != kb.Internal && !(stays && (e.Code == kb.Refused || e.Code == kb.Conflict || e.Code == kb.NotFound)) {
		t.Errorf("call %d (%s): code %s of %v", n, at, e.Code, err)
	}
	for _, raw := range []string{"PathError", "errno"} {
		if strings.Contains(e.Message, raw) {
			t.Errorf("call %d (%s): %q is the system's text", n, at, e.Message)
		}
	}
}
