package scenarios_test

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/files/fsys"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/change"
	"github.com/cairn-kb/cairn/internal/memory/history"
	"github.com/cairn-kb/cairn/internal/memory/read"
	"github.com/cairn-kb/cairn/internal/test/apptest"
	"github.com/cairn-kb/cairn/internal/upkeep/doctor"
	"github.com/cairn-kb/cairn/internal/upkeep/gitsync"
)

// sided is a directory of notes, one with a sidecar that other programs change.
type sided struct {
	*apptest.Bed
	a    *memory.Session
	root string
}

func newSided(t *testing.T) *sided {
	t.Helper()
	s := &sided{Bed: apptest.New(t)}
	s.Clock(time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC), time.Second)
	s.root = s.Dir("vault", map[string]string{"ada.md": "# Ada\n\nFirst.\n\nLast.\n", ".raw/ada.json": "{\n\"n\": 1\n}\n"})
	s.a = s.Open()
	apptest.OK(s.a.Spaces.Attach(t.Context(), s.root))(t)
	s.sync()
	return s
}

func (s *sided) sync() api.SyncReport {
	s.T.Helper()
	return apptest.OK(gitsync.Sync(context.Background(), s.a, gitsync.SyncRequest{}))(s.T)[0]
}

// beside writes a sidecar as another program does, and syncs.
func (s *sided) beside(name, text string) {
	s.T.Helper()
	file := filepath.Join(s.root, name)
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		s.T.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		s.T.Fatal(err)
	}
	s.sync()
}

func (s *sided) read(name string) string {
	b, err := os.ReadFile(filepath.Join(s.root, name))
	if os.IsNotExist(err) {
		return ""
	}
	return string(apptest.OK(b, err)(s.T))
}

func (s *sided) want(what, ada, side string) {
	s.T.Helper()
	if got := s.read("ada.md"); ada != "*" && got != ada {
		s.T.Errorf("%s: the document is %q", what, got)
	}
	if got := s.read(".raw/ada.json"); got != side {
		s.T.Errorf("%s: the sidecar is %q, want %q", what, got, side)
	}
	if r := s.sync(); len(r.Added)+len(r.Changed)+len(r.Deleted)+len(r.Moved) > 0 {
		s.T.Errorf("%s: a sync finds %+v", what, r)
	}
}

func (s *sided) edit(old, new string) api.Written {
	s.T.Helper()
	text := strings.Replace(s.read("ada.md"), old, new, 1)
	return apptest.OK(change.EditText(context.Background(), s.a, change.EditTextRequest{Ref: "ada", Text: []byte(text)}))(s.T)
}

func (s *sided) undo(write int64, force bool) (api.Written, error) {
	return change.Undo(context.Background(), s.a, history.UndoRequest{Write: write, Force: force})
}

// newest is the number of the newest write.
func (s *sided) newest() int64 {
	s.T.Helper()
	return apptest.OK(history.List(context.Background(), s.a, history.ListRequest{Ref: "ada"}))(s.T).Items[0].Write
}

const (
	oneSide  = "{\n\"n\": 1\n}\n"
	twoSides = "{\n\"n\": 2\n}\n"
)

// Versions, undo, redo and restore bring back the sidecar with the document.
func TestUndoBringsSidecarsBack(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	s := newSided(t)
	before := s.read("ada.md")
	s.beside(".raw/ada.json", twoSides)
	outside := s.newest()

	list := apptest.OK(history.List(ctx, s.a, history.ListRequest{Ref: "ada"}))(t)
	if len(list.Items) != 2 || list.Items[0].SidecarBytes != int64(len(twoSides)) {
		t.Fatalf("history: %+v", list.Items)
	}
	diff := apptest.OK(history.Compare(ctx, s.a, history.DiffRequest{Ref: "ada"}))(t).Diff
	if !strings.Contains(diff, "--- a/.raw/ada.json\n+++ b/.raw/ada.json\n") || !strings.Contains(diff, "\n-\"n\": 1\n+\"n\": 2\n") || strings.Contains(diff, "ada.md") {
		t.Errorf("diff:\n%s", diff)
	}

	apptest.OK(s.undo(outside, false))(t)
	s.want("undo of what came from outside", before, oneSide)
	apptest.OK(change.Redo(ctx, s.a, history.RedoRequest{}))(t)
	s.want("redo", before, twoSides)
	apptest.OK(change.Restore(ctx, s.a, change.RestoreRequest{Ref: "ada", Version: 1}))(t)
	s.want("restore", before, oneSide)

	gone := apptest.OK(change.Delete(ctx, s.a, change.DeleteRequest{Ref: "ada"}))(t)
	s.want("delete", "", "")
	apptest.OK(s.undo(gone.Write, false))(t)
	s.want("undo of a deletion", before, oneSide)

	moved := apptest.OK(change.Move(ctx, s.a, change.MoveRequest{Ref: "ada", To: "people/ada-l"}))(t)
	s.want("move", "", "")
	if got := s.read("people/.raw/ada-l.json"); got != oneSide {
		t.Errorf("moved: %q", got)
	}
	apptest.OK(s.undo(moved.Write, false))(t)
	s.want("undo of a move", before, oneSide)
	if got := s.read("people/.raw/ada-l.json"); got != "" {
		t.Errorf("left behind: %q", got)
	}
}

// An undo takes back what it can tell apart from what others did to the document
// and its sidecar.
func TestUndoBesideASidecarThatChanged(t *testing.T) {
	t.Parallel()
	s := newSided(t)
	edited := s.edit("First.", "Changed.")
	s.beside(".raw/ada.json", twoSides)
	outside := s.newest()
	if w, err := s.undo(edited.Write, false); err == nil && len(w.Skipped) == 0 {
		t.Error("an undo of a version before the sidecar's was done without force")
	}
	apptest.OK(s.undo(edited.Write, true))(t)
	s.want("the text alone", "# Ada\n\nFirst.\n\nLast.\n", twoSides)
	apptest.OK(s.undo(outside, true))(t)
	s.want("the sidecar alone", "# Ada\n\nFirst.\n\nLast.\n", oneSide)

	s.beside(".raw/ada.json", twoSides)
	outside = s.newest()
	s.beside(".raw/ada.json", "{}")
	if w, err := s.undo(outside, true); err == nil && (len(w.Skipped) != 1 || !strings.Contains(w.Skipped[0].Reason, "sidecar")) {
		t.Errorf("a sidecar that others changed since: %+v", w)
	}
	s.want("what others made of it", "*", "{}")
}

// A sidecar that cannot be used is named, every time, and left alone.
func TestSidecarsThatAreNotUsed(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	s := newSided(t)
	s.beside(".raw/ada.json", "{\n\"n\": }\n")
	s.beside(".raw/bob.json", "{}")
	for range 2 {
		r := s.sync()
		if len(r.Sidecars) != 2 || r.Sidecars[0].Path != ".raw/bob.json" || r.Sidecars[1].Path != ".raw/ada.json" || !strings.Contains(r.Sidecars[1].Reason, "line 2") {
			t.Errorf("the sync names %+v", r.Sidecars)
		}
	}
	var found []string
	for _, c := range apptest.OK(doctor.Doctor(ctx, s.a, false))(t) {
		found = append(found, c.Items...)
	}
	for _, want := range []string{".raw/bob.json: no document of this name", ".raw/ada.json:2: "} {
		if !strings.Contains(strings.Join(found, "\n"), want) {
			t.Errorf("doctor does not name %s: %q", want, found)
		}
	}
	if got := apptest.OK(read.Get(ctx, s.a, read.GetRequest{Ref: "ada"}))(t); got.Version != 2 {
		t.Errorf("the page is %+v", got.Page)
	}
	s.want("doctor", "# Ada\n\nFirst.\n\nLast.\n", "{\n\"n\": }\n")
}

// locked is a directory in which a file may not be read.
type locked struct {
	fsys.FS
	name *string
}

func (l locked) Open(name string) (fsys.File, error) {
	if name == *l.name {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrPermission}
	}
	return l.FS.Open(name)
}

// A page whose sidecar may not be read is read without it, with a warning, before and
// after it was indexed; its text can be edited, and nothing is done to the sidecar.
func TestSidecarsThatMayNotBeRead(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	var name string
	s := &sided{Bed: apptest.New(t)}
	s.Opts.WrapFiles, s.Opts.WrapDatabase = func(d *fsys.Dir) fsys.FS { return locked{d, &name} }, nil
	s.root = s.Dir("vault", map[string]string{
		"ada.md": "# Ada\n", ".raw/ada.json": "{\"n\": 1}", "bob.md": "# Bob\n", ".raw/bob.json": "{\"n\": 2}",
	})
	s.a = s.Open()
	apptest.OK(s.a.Spaces.Attach(ctx, s.root))(t)
	name = ".raw/bob.json"
	for range 2 {
		if r := s.sync(); len(r.Failed) > 0 || len(r.Sidecars) != 1 || r.Sidecars[0].Path != name {
			t.Errorf("the sync says %+v", r)
		}
	}
	for ref, at := range map[string]string{"bob": ".raw/bob.json", "ada": ".raw/ada.json"} {
		name = at
		for range 2 {
			got := apptest.OK(read.Get(ctx, s.a, read.GetRequest{Ref: ref}))(t)
			if !strings.HasPrefix(got.Text, "# ") || len(got.Warnings) != 1 || !strings.Contains(got.Warnings[0].Text, at) {
				t.Errorf("%s: %q, %+v", ref, got.Text, got.Warnings)
			}
			s.change(ref+".md", "# Changed\n")
		}
		for what, err := range map[string]error{
			"edit":   second(change.EditPage(ctx, s.a, change.EditRequest{Ref: ref, Edits: []doc.Edit{doc.Append{Text: "More."}}})),
			"delete": second(change.Delete(ctx, s.a, change.DeleteRequest{Ref: ref})),
		} {
			if err == nil {
				t.Errorf("%s: %s beside what cannot be kept", ref, what)
			}
		}
	}
	name = ""
	s.sync()
	if got := apptest.OK(read.Get(ctx, s.a, read.GetRequest{Ref: "bob"}))(t); len(got.Warnings) > 0 || got.Text != "# Changed\n" {
		t.Errorf("when it may be read: %+v", got)
	}
	if s.read(".raw/ada.json") != "{\"n\": 1}" || s.read(".raw/bob.json") != "{\"n\": 2}" {
		t.Error("a sidecar was changed")
	}
}

func second[T any](_ T, err error) error { return err }

// change writes a file as another program does.
func (s *sided) change(name, text string) {
	s.T.Helper()
	if err := os.WriteFile(filepath.Join(s.root, name), []byte(text), 0o644); err != nil {
		s.T.Fatal(err)
	}
}
