package write_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/doc/sidecar"
	"github.com/cairn-kb/cairn/internal/files/fsys"
	"github.com/cairn-kb/cairn/internal/files/fsystest"
	"github.com/cairn-kb/cairn/internal/files/vault"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory/index"
	"github.com/cairn-kb/cairn/internal/memory/write"
	"github.com/cairn-kb/cairn/internal/memory/write/writetest"
	"github.com/cairn-kb/cairn/internal/policy"
	"github.com/cairn-kb/cairn/internal/store"
)

// crm is the sidecar that source makes beside a document without one.
const crm = "{\n  \"sources\": {\n    \"crm\": %s\n  },\n  \"fetched\": {\n    \"crm\": \"2026-03-01T09:00:00Z\"\n  }\n}\n"

// bothKinds does a test in a directory and in a database space. Files are nil in
// the second.
func bothKinds(t *testing.T, do func(t *testing.T, m *writetest.Memory, files *fsys.Mem, s *write.Space)) {
	t.Helper()
	t.Run("directory", func(t *testing.T) {
		m := writetest.New(t)
		files := m.Files(nil)
		do(t, m, files, m.Space("notes", files))
	})
	t.Run("database", func(t *testing.T) {
		m := writetest.New(t)
		do(t, m, nil, m.Space("notes", nil))
	})
}

// wantSide checks what the memory, and the directory if there is one, hold beside
// a document.
func wantSide(t *testing.T, m *writetest.Memory, files *fsys.Mem, s *write.Space, path, want string) {
	t.Helper()
	p, ok := m.Pages(s)[path]
	if !ok {
		t.Fatalf("there is no %s", path)
	}
	if got := m.Side(p); got != want {
		t.Errorf("the memory has %q beside %s, want %q", got, path, want)
	}
	if v := m.Versions(s, p.ID); v[0].Version != p.Version || v[0].Side.Hash != p.Side || v[0].Side.Size != int64(len(want)) {
		t.Errorf("the newest version is %+v, the page %+v", v[0], p)
	}
	if files == nil {
		return
	}
	if got := writetest.Tree(t, files)[vault.SidecarPath(path)]; got != want {
		t.Errorf("the directory has %q beside %s, want %q", got, path, want)
	}
}

// A document and its sidecar are one version, whatever happens to either.
func TestSidecarIsPartOfAVersion(t *testing.T) {
	t.Parallel()
	bothKinds(t, func(t *testing.T, m *writetest.Memory, files *fsys.Mem, s *write.Space) {
		m.Apply(request(put(s, "people/ada.md", "# Ada\n")))
		res := m.Apply(request(source(s, "people/ada.md", "crm", `{"n": 1}`)))
		if p := res.Pages[0]; p.Change != kb.Changed || p.Version != 2 || p.OldSide != nil || string(p.NewSide) != fmt.Sprintf(crm, `{"n": 1}`) {
			t.Errorf("the result is %+v", p)
		}
		wantSide(t, m, files, s, "people/ada.md", fmt.Sprintf(crm, `{"n": 1}`))

		stale := edit(s, "people/ada.md", doc.Append{Text: "more"})
		stale.Expected = new(int)
		*stale.Expected = 1
		if _, err := m.Writer.Apply(t.Context(), request(stale)); kb.CodeOf(err) != kb.Conflict {
			t.Errorf("an edit of the version before the sidecar: %v", err)
		}
		*stale.Expected = 2
		m.Apply(request(stale))
		wantSide(t, m, files, s, "people/ada.md", fmt.Sprintf(crm, `{"n": 1}`))

		again := m.Apply(request(source(s, "people/ada.md", "crm", `{"n": 1}`)))
		if again.Write.ID != 0 || again.Pages[0].Change != "" {
			t.Errorf("the same data again: %+v", again.Pages[0])
		}

		m.Apply(request(write.Change{Space: s, Path: "people/ada.md", Action: write.Move{To: "staff/ada-l.md"}}))
		wantSide(t, m, files, s, "staff/ada-l.md", fmt.Sprintf(crm, `{"n": 1}`))
		wantNoDir(t, files, "people/.raw")

		id := m.Pages(s)["staff/ada-l.md"].ID
		m.Apply(request(write.Change{Space: s, Path: "staff/ada-l.md", Action: write.Delete{}}))
		if v := m.Versions(s, id); len(v) != 5 || v[0].Change != kb.Deleted || v[0].Side.Exists() || !v[1].Side.Exists() {
			t.Errorf("history: %+v", v)
		}
		if files != nil && len(writetest.Tree(t, files)) != 0 {
			t.Errorf("left behind: %v", writetest.Tree(t, files))
		}
		wantNoDir(t, files, "staff/.raw")
		m.Apply(request(write.Change{Space: s, Path: "staff/ada-l.md", Action: write.Put{Bytes: []byte("back"), ID: id}},
			write.Change{Space: s, Path: "staff/ada-l.md", Action: write.PutSide{Bytes: []byte("{}")}}))
		wantSide(t, m, files, s, "staff/ada-l.md", "{}")
		if files != nil {
			writetest.Put(t, files, "staff/.raw/other.txt", "not ours")
		}
		m.Apply(request(write.Change{Space: s, Path: "staff/ada-l.md", Action: write.PutSide{}}))
		wantSide(t, m, files, s, "staff/ada-l.md", "")
		if files != nil && writetest.Tree(t, files)["staff/.raw/other.txt"] != "not ours" {
			t.Errorf("the file of somebody else beside the sidecar: %v", writetest.Tree(t, files))
		}
	})
}

// wantNoDir checks that a directory of sidecars went with the last of them.
func wantNoDir(t *testing.T, files *fsys.Mem, dir string) {
	t.Helper()
	if files == nil {
		return
	}
	if _, err := files.Lstat(dir); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%s without a sidecar: %v", dir, err)
	}
}

// A dry run of a sidecar writes nothing.
func TestSidecarDryRun(t *testing.T) {
	t.Parallel()
	bothKinds(t, func(t *testing.T, m *writetest.Memory, files *fsys.Mem, s *write.Space) {
		m.Apply(request(put(s, "a.md", "# A\n")))
		req := request(source(s, "a.md", "crm", "1"))
		req.DryRun = true
		if res := m.Apply(req); string(res.Pages[0].NewSide) != fmt.Sprintf(crm, "1") || res.Pages[0].Version != 1 {
			t.Errorf("%+v", res.Pages[0])
		}
		wantSide(t, m, files, s, "a.md", "")
	})
}

func TestSidecarRefusals(t *testing.T) {
	t.Parallel()
	add := func(name, data string) write.Action {
		return write.EditSide{Edits: []sidecar.Edit{sidecar.SetSource{Name: name, Data: []byte(data), Fetched: writetest.Start}}}
	}
	for _, test := range []struct {
		name   string
		path   string
		action write.Action
		code   kb.Code
	}{
		{"no page", "none.md", add("x", "1"), kb.NotFound},
		{"source that is there", "a.md", add("crm", "1"), kb.Conflict},
		{"no JSON", "a.md", add("x", "{"), kb.Invalid},
		{"credential", "a.md", add("x", `{"key": "AKIA`+"QYLPMN5HHHFPZAM2"+`"}`), kb.Secret},
		{"over the whole limit", "a.md", write.PutSide{Bytes: make([]byte, kb.MaxSidecar+1)}, kb.Invalid},
		{"of an agent that may not", "private/b.md", add("x", "1"), kb.Refused},
		{"two documents of one name", "twin.md", add("x", "1"), kb.Conflict},
	} {
		t.Run(test.name, func(t *testing.T) {
			bothKinds(t, func(t *testing.T, m *writetest.Memory, files *fsys.Mem, s *write.Space) {
				m.Apply(request(put(s, "a.md", "# A\n"), put(s, "private/b.md", "# B\n"), put(s, "twin.md", "# T\n"), put(s, "twin.org", "* T\n"), source(s, "a.md", "crm", "0")))
				s.Policy = &policy.Policy{Format: "markdown", Permissions: policy.Permissions{Rules: []policy.Rule{{Actors: []string{"agent:*"}, Paths: []string{"private/**"}, Effect: policy.Deny}}}}
				before := m.Pages(s)
				req := request(write.Change{Space: s, Path: test.path, Action: test.action})
				req.Actor = kb.Actor{Kind: kb.Agent, Name: "a"}
				if _, err := m.Writer.Apply(t.Context(), req); kb.CodeOf(err) != test.code {
					t.Errorf("%v, want %s", err, test.code)
				}
				if diff := cmp.Diff(before, m.Pages(s)); diff != "" {
					t.Errorf("it was written all the same: %s", diff)
				}
				if files != nil && len(writetest.Tree(t, files)) != 5 {
					t.Errorf("files: %v", writetest.Tree(t, files))
				}
			})
		})
	}
}

// What is no sidecar that can be read is left alone, and so is what a change would
// do to it; its page can be edited.
func TestSidecarsThatCannotBeRead(t *testing.T) {
	t.Parallel()
	large := strings.Repeat(" ", kb.MaxSidecar) + "{}"
	for _, test := range []struct {
		name, text string
		moves      bool // with its page
	}{
		{"broken", "{\n\"sources\": }", true},
		{"too large", large, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			m := writetest.New(t)
			files := m.Files(map[string]string{"a.md": "# A\n", ".raw/a.json": test.text})
			s := m.Space("notes", files)
			if _, err := m.Writer.Apply(t.Context(), request(source(s, "a.md", "crm", "1"))); kb.CodeOf(err) != kb.Invalid {
				t.Errorf("a source: %v", err)
			}
			m.Apply(request(edit(s, "a.md", doc.Append{Text: "more"})))
			for _, a := range []write.Action{write.Move{To: "b.md"}, write.Delete{}} {
				req := request(write.Change{Space: s, Path: "a.md", Action: a})
				req.DryRun = true
				if _, err := m.Writer.Apply(t.Context(), req); (err == nil) != test.moves {
					t.Errorf("%T: %v", a, err)
				}
			}
			if got := fsystest.Get(t, files, ".raw/a.json"); got != test.text {
				t.Error("it was changed")
			}
		})
	}
}

// What a symbolic link leads to is no sidecar, wherever it is: nothing of it is read,
// and nothing written through it.
func TestLinksAreNoSidecars(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, target, at string }{
		{"file", "../other/a.json", ".raw/a.json"},
		{"directory", "other", ".raw"},
		{"out of the space", "/etc", ".raw"},
	} {
		t.Run(test.name, func(t *testing.T) {
			m := writetest.New(t)
			files := m.Files(map[string]string{"a.md": "# A\n", "other/a.json": `{"sources": {"crm": 1}}`})
			if test.at != ".raw" {
				if err := files.Mkdir(".raw", 0o700); err != nil {
					t.Fatal(err)
				}
			}
			if err := files.Symlink(test.target, test.at); err != nil {
				t.Fatal(err)
			}
			s := m.Space("notes", files)
			if side, err := write.Beside(t.Context(), files, "a.md"); err != nil || side.Bytes != nil {
				t.Errorf("beside it is %q, %v", side.Bytes, err)
			}
			if _, there := write.NewSidecars(files).Look("a.md"); there {
				t.Error("it is seen")
			}
			m.Apply(request(edit(s, "a.md", doc.Append{Text: "more"})))
			if _, err := m.Writer.Apply(t.Context(), request(source(s, "a.md", "crm", "2"))); kb.CodeOf(err) != kb.Invalid {
				t.Errorf("a source: %v", err)
			}
			if got := m.Side(m.Pages(s)["a.md"]); got != "" {
				t.Errorf("the memory has %q", got)
			}
			if got := fsystest.Get(t, files, "other/a.json"); got != `{"sources": {"crm": 1}}` {
				t.Errorf("what the link leads to is %q", got)
			}
		})
	}
}

// A broken sidecar is named with its line.
func TestBrokenSidecarIsNamed(t *testing.T) {
	t.Parallel()
	m := writetest.New(t)
	files := m.Files(map[string]string{"a.md": "# A\n", ".raw/a.json": "{\n\"sources\": }"})
	s := m.Space("notes", files)
	_, err := m.Writer.Apply(t.Context(), request(source(s, "a.md", "crm", "1")))
	if e := kb.AsError(err); e.Code != kb.Invalid || e.Details["line"] != 2 || e.Details["path"] != ".raw/a.json" {
		t.Errorf("%v %v", err, e.Details)
	}
	res := m.Apply(request(edit(s, "a.md", doc.Append{Text: "more"})))
	if w := res.Pages[0].Warnings; len(w) != 1 || w[0].Code != index.WarnSidecar || w[0].Line != 2 {
		t.Errorf("warnings: %+v", w)
	}
}

// A sidecar without a document becomes that of one that is made there, and is never
// written over.
func TestOrphanedSidecar(t *testing.T) {
	t.Parallel()
	m := writetest.New(t)
	files := m.Files(map[string]string{".raw/a.json": "{}", ".raw/b.json": "{}", "c.md": "# C\n"})
	s := m.Space("notes", files)
	m.Apply(request(put(s, "a.md", "# A\n")))
	wantSide(t, m, files, s, "a.md", "{}")
	for name, changes := range map[string][]write.Change{
		"move onto it": {{Space: s, Path: "c.md", Action: write.Move{To: "b.md"}}},
		"restore with another": {put(s, "b.md", "# B\n"),
			{Space: s, Path: "b.md", Action: write.PutSide{Bytes: []byte("[]")}}},
	} {
		if _, err := m.Writer.Apply(t.Context(), request(changes...)); kb.CodeOf(err) != kb.Conflict {
			t.Errorf("%s: %v", name, err)
		}
	}
	if got := fsystest.Get(t, files, ".raw/b.json"); got != "{}" {
		t.Errorf("the orphan is %q", got)
	}
}

// What an editor made of a sidecar between a crash and the next start stays, and what
// the write had put there is in the history.
func TestRecoverLeavesForeignSidecars(t *testing.T) {
	t.Parallel()
	m, mem, s := scene(t)
	s.Files = mem
	stop := errors.New("stopped here")
	m.Writer.Step = func(step write.Step) error {
		if step == write.StepIndex {
			return stop
		}
		return nil
	}
	_, err := m.Writer.Apply(context.Background(), request(source(s, "c.md", "crm", "1"), source(s, "d/b.md", "crm", "2")))
	if !errors.Is(err, stop) {
		t.Fatal(err)
	}
	mine := fsystest.Get(t, mem, ".raw/c.json")
	if err := mem.Remove(".raw/c.json"); err != nil {
		t.Fatal(err)
	}
	fsystest.Put(t, mem, ".raw/c.json", `{"theirs": 1}`)
	m.Reopen()
	done, err := m.Writer.Recover(context.Background(), opener(s))
	if err != nil || len(done) != 1 || cmp.Diff(done[0].Foreign, []string{".raw/c.json"}) != "" {
		t.Fatalf("recovered %+v, %v", done, err)
	}
	if got := fsystest.Get(t, mem, ".raw/c.json"); got != `{"theirs": 1}` {
		t.Errorf("the editor's bytes are gone: %q", got)
	}
	if !known(m, mine) {
		t.Error("what the write had put there is not in the history")
	}
	page := m.Pages(s)["c.md"]
	if _, err := m.Writer.RefreshIfChanged(context.Background(), s, "c.md", write.Known{Text: page.Hash, SidecarHash: page.Side}, store.ReadPatience); err != nil {
		t.Fatal(err)
	}
	wantSide(t, m, mem, s, "c.md", `{"theirs": 1}`)
}

// Journal records of older forms are read, and none of a newer one.
func TestRecordWithoutSidecars(t *testing.T) {
	t.Parallel()
	m := writetest.New(t)
	for record, ok := range map[string]bool{
		`{"version":1,"ops":[{"space":1,"path":"a.md","old":null,"new":"eA=="}]}`:                      true,
		`{"version":2,"ops":[{"space":1,"path":".raw/a.json","of":"a.md","old":null,"new":"e30="}]}`:   true,
		`{"version":2,"ops":[{"space":1,"path":"b.md","of":"a.md","old":null,"new":"e30="}]}`:          false,
		`{"version":3,"git":[{"space":1}],"ops":[{"space":1,"path":"a.md","old":null,"new":"eA=="}]}`:  true,
		`{"version":3,"ops":[{"space":1,"path":"index.md","old":null,"new":"eA==","generated":true}]}`: true,
		`{"version":4,"ops":[{"space":1,"path":"a.md","old":null,"new":"eA=="}]}`:                      true,
		`{"version":5,"ops":[{"space":1,"path":"a.md","old":null,"new":"eA=="}]}`:                      true,
		`{"version":5,"ops":[{"space":1,"path":"a.md","pack":{"new":1}}],"sizes":[7]}`:                 false, // without its parts
		`{"version":6,"ops":[{"space":1,"path":"a.md","old":null,"new":"eA=="}]}`:                      false,
	} {
		var err error
		if e := m.DB.Update(t.Context(), func(tx store.Tx) error {
			id, e := tx.Journal().Append(t.Context(), []byte(record))
			err = write.CheckEntry(t.Context(), tx, store.JournalEntry{ID: id, Record: []byte(record)})
			return errors.Join(e, tx.Journal().Clear(t.Context(), id))
		}); e != nil {
			t.Fatal(e)
		}
		if (err == nil) != ok {
			t.Errorf("%s: %v", record, err)
		}
	}
}

// countingFS counts how often something is asked of it.
type countingFS struct {
	fsys.FS
	asked int
}

func (c *countingFS) Lstat(name string) (fs.FileInfo, error) {
	c.asked++
	return c.FS.Lstat(name)
}

func (c *countingFS) Open(name string) (fsys.File, error) {
	c.asked++
	return c.FS.Open(name)
}

// Of a directory without sidecars the file system is asked once for a batch.
func TestSidecarsOfABatch(t *testing.T) {
	t.Parallel()
	files := &countingFS{FS: writetest.New(t).Files(map[string]string{"a.md": "# A\n", "b.md": "# B\n", "sub/c.md": "# C\n", "sub/.raw/c.json": `{"sources": {}}`})}
	sides := write.NewSidecars(files)
	for _, name := range []string{"a.md", "b.md", "none.md"} {
		if side, err := sides.Read(t.Context(), name); err != nil || side.Bytes != nil {
			t.Errorf("%s: %q, %v", name, side.Bytes, err)
		}
		if _, there := sides.Look(name); there {
			t.Errorf("%s has a sidecar", name)
		}
	}
	if files.asked != 1 {
		t.Errorf("asked %d times, want 1", files.asked)
	}
	if side, err := sides.Read(t.Context(), "sub/c.md"); err != nil || string(side.Bytes) != `{"sources": {}}` {
		t.Errorf("%q, %v", side.Bytes, err)
	}
	if info, there := sides.Look("sub/c.md"); !there || info.Size() != int64(len(`{"sources": {}}`)) {
		t.Error("sub/c.md has no sidecar")
	}
}
