package write_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/doc/sidecar"
	"github.com/cairn-kb/cairn/internal/files/fsys"
	"github.com/cairn-kb/cairn/internal/files/fsystest"
	"github.com/cairn-kb/cairn/internal/files/vault"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory/write"
	"github.com/cairn-kb/cairn/internal/memory/write/writetest"
	"github.com/cairn-kb/cairn/internal/store"
	"github.com/cairn-kb/cairn/internal/test/slowtest"
)

// start is what the directory holds before each operation.
var start = map[string]string{
	"a.md":   "---\ntitle: A\ntags: [x]\n---\n# A\n\n- knows [[b]]\n",
	"d/b.md": "# B\n\n[a](../a.md)\n",
	"c.md":   "see [[a]]\n",

	"old.md": "---\nstatus: stale\nstale_since: 2026-02-01\nstale_reason: superseded by new\n---\n# Old\n",
	"new.md": "# New\n\n- supersedes [[old]]\n",

	"d/.raw/b.json": `{"sources": {"crm": {"n": 1}}, "mine": true, "assertions": [{"subject": "A", "predicate": "lives_in", "object": "Bonn"}]}`,
	".raw/c.json":   "{\"assertions\": [\n]}\n",
}

// source stores what a source gave beside a document.
func source(s *write.Space, path, name, data string) write.Change {
	return write.Change{Space: s, Path: path, Action: write.EditSide{Edits: []sidecar.Edit{
		sidecar.SetSource{Name: name, Data: []byte(data), Fetched: writetest.Start, Overwrite: true},
	}}}
}

// moved asserts that A lives elsewhere than the start says, bonn that this has ended.
var moved, bonn = sidecar.AddAssertion{Assertion: sidecar.Assertion{Statement: kb.Statement{Subject: "A", Predicate: "lives_in", Object: "Rome", ValidFrom: "2026", Evidence: "knows"}}},
	sidecar.EndAssertion{Claim: kb.Claim{Subject: "A", Predicate: "lives_in", Object: "Bonn"}, Until: "2026"}

// asserted changes what is asserted beside a document.
func asserted(s *write.Space, path string, edits ...sidecar.Edit) write.Change {
	return write.Change{Space: s, Path: path, Action: write.EditSide{Edits: edits}}
}

// documents are the paths of documents among those of files.
func documents(files map[string]string) []string {
	return slices.DeleteFunc(slices.Sorted(maps.Keys(files)), func(name string) bool { _, side := vault.SidecarOf(name); return side })
}

// operation is a change set with a name.
type operation struct {
	name    string
	changes func(s *write.Space) []write.Change
}

// operations are the change sets that are stopped at every point.
var operations = []operation{
	{"put new", func(s *write.Space) []write.Change { return []write.Change{put(s, "n/new.md", "new\n")} }},
	{"put over", func(s *write.Space) []write.Change {
		return []write.Change{{Space: s, Path: "a.md", Action: write.Put{Bytes: []byte("over\n"), Overwrite: true}}}
	}},
	{"edit", func(s *write.Space) []write.Change {
		return []write.Change{edit(s, "a.md", doc.AddTag{Tag: "y"}, doc.AddEntry{Date: "2026-03-01", Text: "e"})}
	}},
	{"move with links", func(s *write.Space) []write.Change {
		return []write.Change{{Space: s, Path: "a.md", Action: write.Move{To: "e/f/g.md"}}}
	}},
	{"delete", func(s *write.Space) []write.Change {
		return []write.Change{{Space: s, Path: "c.md", Action: write.Delete{}}}
	}},
	{"source of a page without a sidecar", func(s *write.Space) []write.Change {
		return []write.Change{source(s, "a.md", "crm", `{"n": 2}`)}
	}},
	{"sources of two", func(s *write.Space) []write.Change {
		return []write.Change{source(s, "c.md", "crm", "2"), source(s, "d/b.md", "crm", "2")}
	}},
	{"text and sidecar", func(s *write.Space) []write.Change {
		return []write.Change{edit(s, "c.md", doc.Append{Text: "more\n"}), source(s, "c.md", "crm", "2")}
	}},
	{"text and no sidecar", func(s *write.Space) []write.Change {
		return []write.Change{
			edit(s, "c.md", doc.Append{Text: "more\n"}),
			{Space: s, Path: "c.md", Action: write.PutSide{}},
		}
	}},
	{"move with a sidecar that changes", func(s *write.Space) []write.Change {
		return []write.Change{
			source(s, "d/b.md", "crm", "2"),
			{Space: s, Path: "d/b.md", Action: write.Move{To: "e/b2.md"}},
		}
	}},
	{"an assertion beside a page without a sidecar", func(s *write.Space) []write.Change {
		return []write.Change{asserted(s, "a.md", moved)}
	}},
	{"an assertion in the place of one beside another page", func(s *write.Space) []write.Change {
		return []write.Change{asserted(s, "d/b.md", bonn), asserted(s, "a.md", moved)}
	}},
	{"an assertion and a relation that end", func(s *write.Space) []write.Change {
		end := doc.SetInterval{Type: "knows", Target: "b", Line: 7, Is: kb.Interval{Until: "2026"}}
		return []write.Change{edit(s, "a.md", end), asserted(s, "d/b.md", bonn)}
	}},
	{"a capture with links", func(s *write.Space) []write.Change {
		return []write.Change{put(s, "n/fact.md", "---\nsource: capture\n---\n# Fact\n\n- related [[a]] (auto 0.83)\n- supersedes [[c]]\n- supersedes [[B]]\n")}
	}},
	{"the end of a link that acts, and another", func(s *write.Space) []write.Change {
		return []write.Change{edit(s, "new.md", doc.RemoveRelation{Type: "supersedes", Target: "old"}, doc.AddRelation{Type: "supersedes", Target: "c"})}
	}},
	{"the end of the page that has a link that acts", func(s *write.Space) []write.Change {
		return []write.Change{{Space: s, Path: "new.md", Action: write.Delete{}}}
	}},
	{"a page that turns over, one that takes its text, and one that keeps that one's", func(s *write.Space) []write.Change {
		copied := func(text string) write.Put {
			return write.Put{Bytes: []byte(text), Overwrite: true, KeepID: true, Copied: true}
		}
		return []write.Change{
			{Space: s, Path: "n/kept.md", Action: copied(start["c.md"])},
			{Space: s, Path: "c.md", Action: copied(start["a.md"])},
			{Space: s, Path: "a.md", Action: copied("# Today\n")},
		}
	}},
	{"more than one record has", func(s *write.Space) []write.Change {
		return []write.Change{edit(s, "c.md", doc.Append{Text: strings.Repeat("a", 1<<20) + "\n"}), put(s, "newer.md", "newer\n")}
	}},
	{"several", func(s *write.Space) []write.Change {
		return []write.Change{
			put(s, "newer.md", "newer\n"),
			edit(s, "a.md", doc.Append{Text: "more\n"}),
			{Space: s, Path: "c.md", Action: write.Delete{}},
			{Space: s, Path: "d/b.md", Action: write.Move{To: "b.md"}},
		}
	}},
}

// Wherever a write stops, the index names the pages that are there afterwards.
func TestCrashKeepsTheIndex(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	both := map[bool]bool{}
	for stop := 0; ; stop++ {
		m := writetest.New(t)
		mem := m.Files(nil)
		s := m.Space("notes", mem)
		s.Policy.Index.File = "index"
		s.CheckPath = func(path string) error {
			if strings.HasPrefix(path, "index") {
				return kb.Errorf(kb.Refused, "ignored")
			}
			return vault.CheckPath(path)
		}
		m.Apply(request(put(s, "a.md", "# Alpha\n")))
		n := 0
		m.Writer.Step = func(write.Step) error {
			if n++; n > stop {
				return errors.New("stopped here")
			}
			return nil
		}
		_, err := m.Writer.Apply(ctx, request(put(s, "b.md", "# Beta\n"), write.Change{Space: s, Path: "a.md", Action: write.Delete{}}))
		m.Reopen()
		m.Writer.Step = nil
		s.Files = mem.CrashClone(fsys.KeepAll)
		if _, err := m.Writer.Recover(ctx, func(context.Context, int64) (*write.Space, error) { return s, nil }); err != nil {
			t.Fatalf("stop %d: %v", stop, err)
		}
		tree := writetest.Tree(t, s.Files)
		_, isNew := tree["b.md"]
		both[isNew] = true
		if has := strings.Contains(tree["index.md"], "| Beta |"); has != isNew {
			t.Errorf("stop %d: the page is there: %v, the index names it: %v", stop, isNew, has)
		}
		if has := strings.Contains(tree["index.md"], "| Alpha |"); has == isNew {
			t.Errorf("stop %d: the old page is gone: %v, the index names it: %v", stop, isNew, has)
		}
		err2 := m.DB.View(ctx, func(tx store.Tx) error {
			pages, err := tx.Pages().ByPath(ctx, s.Row, "index.md")
			if len(pages) > 0 {
				t.Errorf("stop %d: the index became a page", stop)
			}
			return err
		})
		if err2 != nil {
			t.Fatal(err2)
		}
		if err == nil {
			break
		}
	}
	if !both[true] || !both[false] {
		t.Errorf("outcomes %v, want both", both)
	}
}

// scene is a memory over the start files, with the file system that the next
// operation works on.
func scene(t *testing.T) (*writetest.Memory, *fsys.Mem, *write.Space) {
	t.Helper()
	first := firsts[writetest.OverPostgreSQL(t)]
	first.Do(func() {
		m := writetest.New(t)
		mem := m.Files(nil)
		s := m.Space("notes", mem)
		s.Policy.Lifecycle = life
		var changes []write.Change
		for _, name := range documents(start) {
			changes = append(changes, put(s, name, start[name]))
			if side, ok := start[vault.SidecarPath(name)]; ok {
				changes = append(changes, write.Change{Space: s, Path: name, Action: write.PutSide{Bytes: []byte(side)}})
			}
		}
		m.Apply(request(changes...))
		first.db, first.files, first.space = m.Save(), mem, *s
	})
	m := writetest.Load(t, first.db)
	s := first.space
	return m, first.files.CrashClone(fsys.KeepAll), &s
}

// firsts are the scene as it was first made, in SQLite and in PostgreSQL; making it anew for each
// of thousands of stops would take most of the time.
var firsts = map[bool]*madeScene{false: {}, true: {}}

type madeScene struct {
	sync.Once
	db    []byte
	files *fsys.Mem
	space write.Space
}

// outcome returns the files after an operation that nothing disturbs.
func outcome(t *testing.T, changes func(*write.Space) []write.Change) map[string]string {
	t.Helper()
	m, mem, s := scene(t)
	s.Files = mem
	m.Apply(request(changes(s)...))
	return writetest.Tree(t, mem)
}

// settled finishes what the journal holds, as the next process does, and
// checks that files, index, history and journal agree on the old or the new
// state.
func settled(t *testing.T, m *writetest.Memory, files *fsys.Mem, s *write.Space, after map[string]string) (isNew bool) {
	t.Helper()
	all := slices.Concat(slices.Collect(maps.Keys(start)), slices.Collect(maps.Keys(after)))
	return settledParts(t, m, files, s, after, [][]string{all})[0]
}

// settledParts is settled for change sets that concern some of the paths each.
func settledParts(t *testing.T, m *writetest.Memory, files *fsys.Mem, s *write.Space, after map[string]string, parts [][]string) (isNew []bool) {
	t.Helper()
	m.Reopen()
	s.Files = files
	_, err := m.Writer.Recover(context.Background(), func(context.Context, int64) (*write.Space, error) { return s, nil })
	if err != nil {
		t.Fatalf("recover: %v", err)
	}
	if n := m.Pending(); n != 0 {
		t.Errorf("%d journal entries are left", n)
	}
	found := writetest.Tree(t, files)
	maps.DeleteFunc(found, func(name, _ string) bool { return fsys.IsTemp(name) }) // swept by the next sync
	want := maps.Clone(start)
	isNew = make([]bool, len(parts))
	for i, paths := range parts {
		if isNew[i] = cmp.Equal(of(after, paths), of(found, paths)); !isNew[i] {
			continue
		}
		for _, path := range paths {
			delete(want, path)
		}
		maps.Copy(want, of(after, paths))
	}
	if diff := cmp.Diff(want, found); diff != "" {
		t.Fatalf("a mixture of old and new:\n%s", diff)
	}
	pages := m.Pages(s)
	indexed := map[string]string{}
	for path, p := range pages {
		indexed[path] = m.Bytes(p)
		if !p.Side.IsZero() {
			indexed[vault.SidecarPath(path)] = m.Side(p)
		}
		if v := m.Versions(s, p.ID); len(v) == 0 || v[0].Hash != p.Hash || v[0].Side.Hash != p.Side || v[0].Version != p.Version {
			t.Errorf("%s: history %v does not end in the page's state", path, v)
		}
	}
	if diff := cmp.Diff(want, indexed); diff != "" {
		t.Fatalf("the index does not say what the files say:\n%s", diff)
	}
	checkAsserted(t, m, pages, found)
	for path, text := range start { // nothing that was there is lost
		if !known(m, text) {
			t.Errorf("the old bytes of %s are not in the history", path)
		}
	}
	return isNew
}

// checkAsserted checks that the index has the assertions of the sidecars, and when they end.
func checkAsserted(t *testing.T, m *writetest.Memory, pages map[string]kb.Page, files map[string]string) {
	t.Helper()
	var want, got []string
	for path, p := range pages {
		side, there := files[vault.SidecarPath(path)]
		if !there {
			continue
		}
		f, err := sidecar.Parse([]byte(side))
		if err != nil {
			t.Fatal(err)
		}
		for _, at := range f.Assertions {
			a, err := f.Assertion(at)
			if err != nil {
				t.Fatal(err)
			}
			want = append(want, fmt.Sprint(p.Row, a.Claim(), a.ValidUntil))
		}
	}
	err := m.DB.View(context.Background(), func(tx store.Tx) error {
		all, err := tx.Assertions().List(context.Background(), store.AssertionFilter{})
		for _, a := range all {
			got = append(got, fmt.Sprint(a.Page, a.Claim(), a.ValidUntil))
		}
		return err
	})
	slices.Sort(want)
	slices.Sort(got)
	if err != nil || !slices.Equal(want, got) {
		t.Errorf("the index has the assertions %q, the files %q (%v)", got, want, err)
	}
}

// of are the texts of these paths.
func of(texts map[string]string, paths []string) map[string]string {
	out := map[string]string{}
	for _, p := range paths {
		if text, there := texts[p]; there {
			out[p] = text
		}
	}
	return out
}

func known(m *writetest.Memory, text string) bool {
	err := m.DB.View(context.Background(), func(tx store.Tx) error {
		_, err := tx.History().Bytes(context.Background(), hash(text))
		return err
	})
	return err == nil
}

// TestLinksOfOperationsAct holds that what is stopped includes what links do to pages
// that no change names.
func TestLinksOfOperationsAct(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]map[string]string{
		"a capture with links":                          {"c.md": "superseded by n/fact", "d/b.md": "superseded by n/fact"},
		"the end of a link that acts, and another":      {"c.md": "superseded by new", "old.md": "status: active"},
		"the end of the page that has a link that acts": {"old.md": "status: active"},
	} {
		i := slices.IndexFunc(operations, func(op operation) bool { return op.name == name })
		after := outcome(t, operations[i].changes)
		for path, text := range want {
			if !strings.Contains(after[path], text) {
				t.Errorf("after %s %s says\n%s, not %q", name, path, after[path], text)
			}
		}
	}
}

// TestCrashAtEveryStep stops before every step of the write path.
func TestCrashAtEveryStep(t *testing.T) {
	t.Parallel()
	slowtest.NoRace(t, "one thing after the other, many times")
	step := slowtest.Step(3)
	if writetest.OverPostgreSQL(t) { // a database for each stop
		step = 5
	}
	for _, op := range operations {
		t.Run(op.name, func(t *testing.T) {
			after := outcome(t, op.changes)
			stop := errors.New("stopped here")
			seenOld, seenNew := false, false
			for n := 1; ; n += step {
				m, mem, s := scene(t)
				s.Files = mem
				at, count := write.Step(""), 0
				m.Writer.Step = func(step write.Step) error {
					if count++; count == n {
						at = step
						return stop
					}
					return nil
				}
				_, err := m.Writer.Apply(context.Background(), request(op.changes(s)...))
				if err == nil {
					break
				}
				if !errors.Is(err, stop) {
					t.Fatalf("step %d (%s): %v", n, at, err)
				}
				if settled(t, m, mem.CrashClone(fsys.KeepNone), s, after) {
					seenNew = true
				} else {
					seenOld = true
				}
			}
			if step == 1 && (!seenOld || !seenNew) {
				t.Errorf("old state seen %t, new state seen %t: the test stops at the wrong places", seenOld, seenNew)
			}
		})
	}
}

// TestCrashAtEveryCall stops at every call to the file system, with what was
// not flushed lost, kept, or a random choice of both.
func TestCrashAtEveryCall(t *testing.T) {
	t.Parallel()
	slowtest.NoRace(t, "one thing after the other, many times")
	keeps := map[string]func(n int) fsys.Keep{
		"none": func(int) fsys.Keep { return fsys.KeepNone },
		"some": func(n int) fsys.Keep {
			rng := rand.New(rand.NewPCG(1, uint64(n)))
			return func() bool { return rng.IntN(2) == 0 }
		},
	}
	step := slowtest.Step(23)
	for _, op := range operations {
		for name, keep := range keeps {
			t.Run(op.name+"/"+name, func(t *testing.T) {
				t.Parallel()
				after := outcome(t, op.changes)
				for n := 1; ; n += step {
					m, mem, s := scene(t)
					fault := fsys.NewFault(mem)
					fault.CrashAt(n)
					s.Files = fault
					m.Writer.Step = func(write.Step) error { // the process is gone as a whole
						if len(fault.Calls()) >= n {
							return fsys.ErrCrashed
						}
						return nil
					}
					_, err := m.Writer.Apply(context.Background(), request(op.changes(s)...))
					if len(fault.Calls()) < n {
						break
					}
					// A look at the file after it is in place may fail without harm.
					if err != nil && !errors.Is(err, fsys.ErrCrashed) {
						t.Fatalf("call %d: %v", n, err)
					}
					settled(t, m, mem.CrashClone(keep(n)), s, after)
				}
			})
		}
	}
}

// TestFailureAtEveryCall lets every call to the file system fail in turn, as
// a full or broken disk does. The caller is told; the old bytes are there, or
// the change is whole and said to be unconfirmed; and the next write works.
func TestFailureAtEveryCall(t *testing.T) {
	t.Parallel()
	slowtest.NoRace(t, "one thing after the other, many times")
	causes := []error{syscall.ENOSPC, syscall.EIO, syscall.EACCES, syscall.EROFS}
	step := slowtest.Step(23)
	for _, op := range operations {
		t.Run(op.name, func(t *testing.T) {
			t.Parallel()
			after := outcome(t, op.changes)
			for n := 1; ; n += step {
				m, mem, s := scene(t)
				fault := fsys.NewFault(mem)
				fault.FailAt(n, causes[n%len(causes)])
				s.Files = fault
				_, err := m.Writer.Apply(context.Background(), request(op.changes(s)...))
				if len(fault.Calls()) < n {
					break
				}
				isNew := settled(t, m, mem, s, after)
				switch {
				case err == nil && !isNew:
					t.Fatalf("call %d: success was reported, and nothing happened", n)
				case err != nil && isNew && !errors.Is(err, fsys.ErrNotDurable):
					t.Fatalf("call %d: %v was reported, and it happened", n, err)
				case err != nil && kb.AsError(err).Hint == "":
					t.Errorf("call %d: no hint with %v", n, err)
				}
				for name := range writetest.Tree(t, mem) {
					if fsys.IsTemp(name) && fault.Calls()[n-1].Op != "remove" {
						t.Errorf("call %d left %s", n, name)
					}
				}
				m.Apply(request(put(s, "after.md", "works\n")))
			}
		})
	}
}

// A file that an editor changed between the crash and the next start keeps
// the editor's bytes; what the write had put there is in the history.
func TestRecoverLeavesForeignChanges(t *testing.T) {
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
	_, err := m.Writer.Apply(context.Background(), request(
		edit(s, "a.md", doc.Append{Text: "mine\n"}), edit(s, "c.md", doc.Append{Text: "mine too\n"})))
	if !errors.Is(err, stop) {
		t.Fatal(err)
	}
	mine := fsystest.Get(t, mem, "a.md")
	if err := mem.Remove("a.md"); err != nil {
		t.Fatal(err)
	}
	fsystest.Put(t, mem, "a.md", "the editor's\n")
	m.Reopen()
	done, err := m.Writer.Recover(context.Background(), func(context.Context, int64) (*write.Space, error) { return s, nil })
	if err != nil {
		t.Fatal(err)
	}
	if len(done) != 1 || !done[0].Finished || !slices.Equal(done[0].Foreign, []string{"a.md"}) {
		t.Errorf("recovered %+v", done)
	}
	if got := fsystest.Get(t, mem, "a.md"); got != "the editor's\n" {
		t.Errorf("the editor's bytes are gone: %q", got)
	}
	if !known(m, mine) {
		t.Error("what the write had put there is not in the history")
	}
	// The next look sees the editor's bytes as the newer version.
	page := m.Pages(s)["a.md"]
	if _, err := m.Writer.RefreshIfChanged(context.Background(), s, "a.md", write.Known{Text: page.Hash}, store.ReadPatience); err != nil {
		t.Fatal(err)
	}
	if got := m.Bytes(m.Pages(s)["a.md"]); got != "the editor's\n" {
		t.Errorf("the index says %q", got)
	}
}

func TestRecoverLeavesALivingWriterAlone(t *testing.T) {
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
	if _, err := m.Writer.Apply(context.Background(), request(edit(s, "a.md", doc.Append{Text: "x\n"}))); !errors.Is(err, stop) {
		t.Fatal(err)
	}
	m.Writer.Lock = func(context.Context, kb.Space) (func() error, error) { return nil, store.ErrBusy }
	done, err := m.Writer.Recover(context.Background(), func(context.Context, int64) (*write.Space, error) { return s, nil })
	if err != nil || len(done) != 0 || m.Pending() != 1 {
		t.Errorf("recovered %v, %v, %d pending", done, err, m.Pending())
	}
}
