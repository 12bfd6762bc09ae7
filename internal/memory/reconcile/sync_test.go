package reconcile_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/files/fsys"
	"github.com/cairn-kb/cairn/internal/files/fsystest"
	"github.com/cairn-kb/cairn/internal/files/vault"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory/reconcile"
	"github.com/cairn-kb/cairn/internal/memory/write"
	"github.com/cairn-kb/cairn/internal/memory/write/writetest"
	"github.com/cairn-kb/cairn/internal/store"
)

func syncer(m *writetest.Memory) *reconcile.Syncer {
	return &reconcile.Syncer{Writer: m.Writer, Workers: 2, Rules: vault.Rules{Extensions: []string{".md", ".org"}}}
}

func sync1(t *testing.T, m *writetest.Memory, s *write.Space, opts reconcile.Options) *reconcile.Report {
	t.Helper()
	r, err := syncer(m).Sync(context.Background(), s, opts)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func replace(t *testing.T, files *fsys.Mem, name, text string) {
	t.Helper()
	if err := files.Remove(name); err != nil {
		t.Fatal(err)
	}
	writetest.Put(t, files, name, text)
}

func rename(t *testing.T, files *fsys.Mem, from, to string) {
	t.Helper()
	text := fsystest.Get(t, files, from)
	if err := files.Remove(from); err != nil {
		t.Fatal(err)
	}
	writetest.Put(t, files, to, text)
}

func TestSyncFollowsTheDirectory(t *testing.T) {
	t.Parallel()
	m := writetest.New(t)
	files := m.Files(map[string]string{
		"a.md": "# A\n[[b]]\n", "d/b.md": "# B\n", "c.org": "* Heading\n", "x.txt": "no note", ".obsidian/y.md": "hidden",
	})
	s := m.Space("notes", files)
	before := writetest.Tree(t, files)

	r := sync1(t, m, s, reconcile.Options{})
	if diff := cmp.Diff([]string{"a.md", "c.org", "d/b.md"}, r.Plan.Added); diff != "" {
		t.Error(diff)
	}
	if r.Indexed != 3 || len(m.Pages(s)) != 3 {
		t.Errorf("indexed %d, pages %d", r.Indexed, len(m.Pages(s)))
	}
	if diff := cmp.Diff([]string{"a.md -> d/b.md"}, m.Links(s)); diff != "" {
		t.Error(diff)
	}
	m.Now() // let the racy window pass
	m.Now()
	r = sync1(t, m, s, reconcile.Options{})
	if r.Plan.Unchanged != 3 || r.Indexed != 0 {
		t.Errorf("nothing changed, and yet %+v", r.Plan)
	}

	replace(t, files, "a.md", "# A\n[[b]] changed\n")
	writetest.Put(t, files, "new.md", "new\n")
	if err := files.Remove("c.org"); err != nil {
		t.Fatal(err)
	}
	dry := sync1(t, m, s, reconcile.Options{DryRun: true})
	if n := len(m.Pages(s)); n != 3 || !dry.DryRun {
		t.Errorf("a dry run indexed something: %d pages", n)
	}
	r = sync1(t, m, s, reconcile.Options{})
	if diff := cmp.Diff(dry.Plan.Added, r.Plan.Added); diff != "" {
		t.Error("the dry run said otherwise: " + diff)
	}
	got := fmt.Sprint(r.Plan.Added, r.Plan.Changed, r.Plan.Deleted, r.Plan.Moved)
	if want := "[new.md] [a.md] [c.org] []"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	id := m.Pages(s)["a.md"].ID
	if v := m.Versions(s, id); len(v) != 2 || v[0].Actor.Kind != kb.Sync {
		t.Errorf("history %+v", v)
	}
	delete(before, "c.org")
	before["a.md"], before["new.md"] = "# A\n[[b]] changed\n", "new\n"
	if diff := cmp.Diff(before, writetest.Tree(t, files)); diff != "" {
		t.Error("a sync wrote into the directory: " + diff)
	}
}

// Who only reads waits for no commit when nothing changed, but now and then.
func TestSyncToReadWritesNothing(t *testing.T) {
	t.Parallel()
	m := writetest.New(t)
	s := m.Space("notes", m.Files(map[string]string{"a.md": "# A\n"}))
	at := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	m.Writer.Now = func() time.Time { return at }
	waits := func(step string) {
		t.Helper()
		err := m.DB.Update(context.Background(), func(store.Tx) error { // another writer, who takes its time
			ctx, stop := context.WithTimeout(context.Background(), time.Minute)
			defer stop()
			_, err := syncer(m).Sync(ctx, s, reconcile.Options{ToRead: true})
			return err
		})
		if err != nil {
			t.Errorf("%s: it waits for another writer: %v", step, err)
		}
	}
	sync := func(toRead bool) (wrote bool) {
		t.Helper()
		before := changed(t, m)
		sync1(t, m, s, reconcile.Options{ToRead: toRead})
		return changed(t, m) != before
	}
	sync(false)
	sync(false) // a file of the present moment is looked at twice
	for _, step := range []struct {
		what   string
		by     time.Duration
		toRead bool
		wrote  bool
	}{
		{"at once", 0, true, false},
		{"soon after", 9 * time.Minute, true, false},
		{"a command that syncs", 0, false, true},
		{"soon after that", 9 * time.Minute, true, false},
		{"later", 2 * time.Minute, true, true},
		{"with the clock set back", -time.Hour, true, true},
	} {
		at = at.Add(step.by)
		if !step.wrote {
			waits(step.what)
		}
		if sync(step.toRead) != step.wrote {
			t.Errorf("%s: wrote is not %v", step.what, step.wrote)
		}
	}
	writetest.Put(t, s.Files, "b.md", "# B\n")
	if !sync(true) {
		t.Error("a new file is not written")
	}
}

func changed(t *testing.T, m *writetest.Memory) int64 {
	t.Helper()
	n, err := m.DB.Changed(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func TestMoves(t *testing.T) {
	t.Parallel()
	const id1, id2 = "11111111-1111-4111-8111-111111111111", "22222222-2222-4222-8222-222222222222"
	withID := func(id, text string) string { return "---\nid: " + id + "\n---\n" + text }
	for _, tc := range []struct {
		name  string
		files map[string]string
		act   func(t *testing.T, f *fsys.Mem)
		want  map[string]string // new path: old path of the same page
		moved int
	}{
		{
			name: "same bytes, other directory", files: map[string]string{"a.md": "text a\n", "b.md": "text b\n"},
			act:  func(t *testing.T, f *fsys.Mem) { rename(t, f, "a.md", "x/y/c.md") },
			want: map[string]string{"x/y/c.md": "a.md", "b.md": "b.md"}, moved: 1,
		},
		{
			name: "an id and small edits", files: map[string]string{"a.md": withID(id1, "text\n")},
			act: func(t *testing.T, f *fsys.Mem) {
				rename(t, f, "a.md", "b.md")
				replace(t, f, "b.md", withID(id1, "text, edited\n"))
			},
			want: map[string]string{"b.md": "a.md"}, moved: 1,
		},
		{
			name: "two files change places", files: map[string]string{"a.md": withID(id1, "one\n"), "b.md": withID(id2, "two\n")},
			act: func(t *testing.T, f *fsys.Mem) {
				one, two := fsystest.Get(t, f, "a.md"), fsystest.Get(t, f, "b.md")
				replace(t, f, "a.md", two)
				replace(t, f, "b.md", one)
			},
			want: map[string]string{"a.md": "b.md", "b.md": "a.md"}, moved: 2,
		},
		{
			name: "a file moves onto another", files: map[string]string{"a.md": withID(id1, "one\n"), "b.md": withID(id2, "two\n")},
			act: func(t *testing.T, f *fsys.Mem) {
				one := fsystest.Get(t, f, "a.md")
				if err := f.Remove("a.md"); err != nil {
					t.Fatal(err)
				}
				replace(t, f, "b.md", one)
			},
			want: map[string]string{"b.md": "a.md"}, moved: 1,
		},
		{
			name: "a chain", files: map[string]string{"a.md": "one\n", "b.md": "two\n"},
			act: func(t *testing.T, f *fsys.Mem) {
				rename(t, f, "b.md", "c.md")
				rename(t, f, "a.md", "b.md")
			},
			// b.md has other bytes and no id: it counts as edited, and a.md as gone.
			want: map[string]string{"b.md": "b.md"},
		},
		{
			name:  "a directory of equal files keeps their names",
			files: map[string]string{"d/1.md": "", "d/2.md": "", "d/3.md": "", "keep.md": "k"},
			act: func(t *testing.T, f *fsys.Mem) {
				for _, n := range []string{"1", "2", "3"} {
					rename(t, f, "d/"+n+".md", "e/"+n+".md")
				}
			},
			want: map[string]string{"e/1.md": "d/1.md", "e/2.md": "d/2.md", "e/3.md": "d/3.md"}, moved: 3,
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			m := writetest.New(t)
			files := m.Files(tc.files)
			s := m.Space("notes", files)
			sync1(t, m, s, reconcile.Options{})
			old := m.Pages(s)
			m.Now()
			m.Now()
			tc.act(t, files)
			r := sync1(t, m, s, reconcile.Options{Yes: true})
			if len(r.Plan.Moved) != tc.moved {
				t.Errorf("plan %+v", r.Plan)
			}
			pages := m.Pages(s)
			for path, was := range tc.want {
				if pages[path].ID != old[was].ID || pages[path].ID == "" {
					t.Errorf("%s has id %s, want that of %s, %s", path, pages[path].ID, was, old[was].ID)
				}
				if got, want := m.Bytes(pages[path]), fsystest.Get(t, files, path); got != want {
					t.Errorf("%s is indexed as %q, and is %q", path, got, want)
				}
			}
			if n := len(writetest.Tree(t, files)); len(pages) != n {
				t.Errorf("%d pages for %d files", len(pages), n)
			}
			again := sync1(t, m, s, reconcile.Options{Full: true})
			if again.Indexed != 0 {
				t.Errorf("a second sync still changes things: %+v", again.Plan)
			}
		})
	}
}

func TestCopiesNeverTakeAnID(t *testing.T) {
	t.Parallel()
	const id = "11111111-1111-4111-8111-111111111111"
	text := "---\nid: " + id + "\n---\ntext\n"
	m := writetest.New(t)
	files := m.Files(map[string]string{"note copy.md": text})
	s := m.Space("notes", files)
	sync1(t, m, s, reconcile.Options{})
	writetest.Put(t, files, "note.md", text)
	writetest.Put(t, files, "links.md", "[["+id+"]]\n")
	sync1(t, m, s, reconcile.Options{})
	if got := m.Pages(s)["note copy.md"].ID; got != id {
		t.Errorf("the page that had the id must keep it, whatever its path: %s", got)
	}
	if got := m.Pages(s)["note.md"].ID; got == id || got == "" {
		t.Errorf("the second one has id %q", got)
	}
	writetest.Put(t, files, "n.md", text)
	if err := files.Remove("note copy.md"); err != nil {
		t.Fatal(err)
	}
	writetest.Put(t, files, "note copy.md", text+"more\n") // both change in one sync
	sync1(t, m, s, reconcile.Options{})
	if got := m.Pages(s)["note copy.md"].ID; got != id {
		t.Errorf("the page that had the id must keep it when it changes with others: %s", got)
	}
	if diff := cmp.Diff([]string{"links.md -> note copy.md"}, m.Links(s)); diff != "" {
		t.Error(diff)
	}
	for _, path := range []string{"note copy.md", "n.md"} {
		if err := files.Remove(path); err != nil {
			t.Fatal(err)
		}
	}
	sync1(t, m, s, reconcile.Options{})
	if got := m.Pages(s)["note.md"].ID; got != id {
		t.Errorf("the last one that declares the id must get it: %s", got)
	}
	if diff := cmp.Diff([]string{"links.md -> note.md"}, m.Links(s)); diff != "" {
		t.Error(diff)
	}
}

func TestMassDeletionAsks(t *testing.T) {
	t.Parallel()
	m := writetest.New(t)
	all := map[string]string{}
	for i := range 20 {
		all[fmt.Sprintf("%02d.md", i)] = fmt.Sprintf("note %d\n", i)
	}
	files := m.Files(all)
	s := m.Space("notes", files)
	sync1(t, m, s, reconcile.Options{})
	for i := range 11 {
		if err := files.Remove(fmt.Sprintf("%02d.md", i)); err != nil {
			t.Fatal(err)
		}
	}
	_, err := syncer(m).Sync(context.Background(), s, reconcile.Options{})
	if kb.CodeOf(err) != kb.Refused || len(m.Pages(s)) != 20 {
		t.Fatalf("got %v with %d pages", err, len(m.Pages(s)))
	}
	sync1(t, m, s, reconcile.Options{Yes: true})
	if len(m.Pages(s)) != 9 {
		t.Errorf("%d pages", len(m.Pages(s)))
	}
}

// Circuit breaker activates, and resets on modification: 13.2.5 and 13.2.6 of the
// specification of the set notes.
func TestFailingFileIsLeftOutUntilItChanges(t *testing.T) {
	t.Parallel()
	m := writetest.New(t)
	mem := m.Files(map[string]string{"good.md": "g\n", "bad.md": "b\n"})
	fault := fsys.NewFault(mem)
	broken := true
	fault.FailIf(func(c fsys.Call) bool { return broken && c.Op == "open" && c.Name == "bad.md" }, errors.New("input/output error"))
	s := m.Space("notes", fault)
	for i := range 3 {
		r := sync1(t, m, s, reconcile.Options{})
		if len(r.Failed) != 1 || r.Failed[0].Count != i+1 || len(m.Pages(s)) != 1 {
			t.Fatalf("sync %d: %+v", i+1, r.Failed)
		}
	}
	r := sync1(t, m, s, reconcile.Options{})
	if len(r.Failed) != 0 || len(r.Plan.LeftOut) != 1 {
		t.Errorf("the fourth sync tried again: %+v", r)
	}
	broken = false
	if r = sync1(t, m, s, reconcile.Options{}); len(r.Plan.LeftOut) != 1 {
		t.Error("the file was tried although it did not change")
	}
	if r = sync1(t, m, s, reconcile.Options{Full: true, DryRun: true}); len(r.Plan.Added) != 1 {
		t.Errorf("a full sync leaves it out: %+v", r.Plan)
	}
	replace(t, mem, "bad.md", "mended\n")
	r = sync1(t, m, s, reconcile.Options{})
	if len(r.Plan.Added) != 1 || len(m.Pages(s)) != 2 {
		t.Errorf("the mended file is not in: %+v", r.Plan)
	}
	if n := failures(t, m, s); n != 0 {
		t.Errorf("%d failures are still noted", n)
	}
}

// Mended permissions change neither size nor time of a file: it is tried again
// at each sync, and that is noted once.
func TestFileWhosePermissionsWereMended(t *testing.T) {
	t.Parallel()
	m := writetest.New(t)
	fault := fsys.NewFault(m.Files(map[string]string{"good.md": "g\n", "bad.md": "b\n"}))
	broken := true
	fault.FailIf(func(c fsys.Call) bool { return broken && c.Op == "open" && c.Name == "bad.md" }, fs.ErrPermission)
	s := m.Space("notes", fault)
	sync1(t, m, s, reconcile.Options{})
	first := noted(t, m, s)
	for i := range 5 {
		r := sync1(t, m, s, reconcile.Options{ToRead: true})
		if len(r.Failed) != 1 || len(r.Plan.LeftOut) != 0 {
			t.Fatalf("sync %d: %+v", i+1, r)
		}
		if diff := cmp.Diff(first, noted(t, m, s)); diff != "" {
			t.Errorf("sync %d noted anew what was noted: %s", i+1, diff)
		}
	}
	broken = false
	if r := sync1(t, m, s, reconcile.Options{}); len(r.Plan.Added) != 1 || len(m.Pages(s)) != 2 {
		t.Errorf("the mended file is not in: %+v", r.Plan)
	}
	if n := failures(t, m, s); n != 0 {
		t.Errorf("%d failures are still noted", n)
	}
}

func failures(t *testing.T, m *writetest.Memory, s *write.Space) int { return len(noted(t, m, s)) }

func noted(t *testing.T, m *writetest.Memory, s *write.Space) (all []store.Failure) {
	t.Helper()
	err := m.DB.View(context.Background(), func(tx store.Tx) error {
		var err error
		all, err = tx.Failures().All(context.Background(), s.Row)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// Files changed within the resolution of the file system's clock after they
// were indexed have the size and time that the index knows.
func TestRacilyCleanFilesAreLookedAt(t *testing.T) {
	t.Parallel()
	m := writetest.New(t)
	clock := m.Now()
	mem := fsys.NewMem(func() time.Time { return clock })
	writetest.Put(t, mem, "a.md", "one\n")
	s := m.Space("notes", mem)
	m.Writer.Now = func() time.Time { return clock }
	sync1(t, m, s, reconcile.Options{})
	replace(t, mem, "a.md", "two\n")
	r := sync1(t, m, s, reconcile.Options{})
	if len(r.Plan.Changed) != 1 {
		t.Errorf("the change was missed: %+v", r.Plan)
	}
}

// When the clock is set back, files that change have times before those that the index
// knows, or those of files long indexed.
func TestClockSetBack(t *testing.T) {
	t.Parallel()
	m := writetest.New(t)
	clock := m.Now()
	mem := fsys.NewMem(func() time.Time { return clock })
	m.Writer.Now = func() time.Time { return clock }
	writetest.Put(t, mem, "a.md", "one\n")
	writetest.Put(t, mem, "b.md", "old\n")
	s := m.Space("notes", mem)
	sync1(t, m, s, reconcile.Options{})
	for i, back := range []time.Duration{-time.Hour, -24 * time.Hour, -time.Nanosecond, 2 * time.Hour, -3 * time.Hour} {
		clock = clock.Add(back)
		text := fmt.Sprintf("%03d\n", i)
		replace(t, mem, "a.md", text)
		if r := sync1(t, m, s, reconcile.Options{}); len(r.Plan.Changed) != 1 {
			t.Errorf("%v later the change was missed: %+v", back, r.Plan)
		}
		pages := m.Pages(s)
		if got := m.Bytes(pages["a.md"]); got != text || pages["a.md"].Version != i+2 {
			t.Errorf("%v later version %d is %q, want %q", back, pages["a.md"].Version, got, text)
		}
	}
	if r := sync1(t, m, s, reconcile.Options{}); r.Plan.Changes() != 0 {
		t.Errorf("where nothing changed: %+v", r.Plan)
	}
}

func TestInterruptedSyncKeepsWhatItDid(t *testing.T) {
	t.Parallel()
	m := writetest.New(t)
	all := map[string]string{}
	for i := range 2500 {
		all[fmt.Sprintf("%04d.md", i)] = fmt.Sprintf("note %d [[%04d]]\n", i, (i+1)%2500)
	}
	s := m.Space("notes", m.Files(all))
	ctx, cancel := context.WithCancel(context.Background())
	_, err := syncer(m).Sync(ctx, s, reconcile.Options{Progress: func(p reconcile.Progress) {
		if p.Done > 0 {
			cancel()
		}
	}})
	if err == nil {
		t.Fatal("the sync was not interrupted")
	}
	n := len(m.Pages(s))
	if n == 0 || n == 2500 {
		t.Fatalf("%d pages after the interruption", n)
	}
	r := sync1(t, m, s, reconcile.Options{})
	if len(m.Pages(s)) != 2500 || r.Indexed != 2500-n {
		t.Errorf("%d pages, %d of them indexed again", len(m.Pages(s)), r.Indexed)
	}
	for _, l := range m.Links(s) {
		if strings.HasSuffix(l, "?") {
			t.Fatalf("%s is not resolved", l)
		}
	}
}

func TestTwoSyncsAndAWriterDoNoHarm(t *testing.T) {
	t.Parallel()
	m := writetest.New(t)
	all := map[string]string{}
	for i := range 900 {
		all[fmt.Sprintf("%04d.md", i)] = fmt.Sprintf("note %d\n", i)
	}
	files := m.Files(all)
	s := m.Space("notes", files)
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() {
			own := *s
			if _, err := syncer(m).Sync(context.Background(), &own, reconcile.Options{}); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Go(func() {
		for i := range 20 {
			own := *s
			_, err := m.Writer.Apply(context.Background(), write.Request{Actor: kb.Actor{Kind: kb.Human}, Operation: "edit", Changes: []write.Change{{
				Space: &own, Path: fmt.Sprintf("%04d.md", i*40), Action: write.Edit{Edits: []doc.Edit{doc.Append{Text: "more\n"}}},
			}}})
			if err != nil {
				t.Error(err)
			}
		}
	})
	wg.Wait()
	sync1(t, m, s, reconcile.Options{Full: true})
	pages := m.Pages(s)
	if len(pages) != 900 {
		t.Errorf("%d pages", len(pages))
	}
	for path, p := range pages {
		if got, want := m.Bytes(p), fsystest.Get(t, files, path); got != want {
			t.Errorf("%s is indexed as %q and is %q", path, got, want)
		}
	}
	if r := sync1(t, m, s, reconcile.Options{Full: true}); r.Indexed != 0 {
		t.Errorf("not settled: %+v", r.Plan)
	}
}

func TestLeftoversOfACrashAreSwept(t *testing.T) {
	t.Parallel()
	m := writetest.New(t)
	files := m.Files(map[string]string{"a.md": "a\n", "d/.cairn-tmp-0011223344556677": "half"})
	s := m.Space("notes", files)
	sync1(t, m, s, reconcile.Options{})
	if diff := cmp.Diff(map[string]string{"a.md": "a\n"}, writetest.Tree(t, files)); diff != "" {
		t.Error(diff)
	}
}

// A file that is there and no note any more takes its page along.
func TestWhatIsNoNoteAnyMoreGoes(t *testing.T) {
	t.Parallel()
	m := writetest.New(t)
	files := m.Files(map[string]string{"a.md": "# A\n", "old/b.md": "# B\n", "c.md": "# C\n"})
	s := m.Space("notes", files)
	sync1(t, m, s, reconcile.Options{})
	writetest.Put(t, files, ".gitignore", "old\n")
	if err := files.Remove("c.md"); err != nil {
		t.Fatal(err)
	}
	if err := files.Mkdir("c.md", 0o755); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		sync1(t, m, s, reconcile.Options{})
		if got := len(m.Pages(s)); got != 1 {
			t.Errorf("%d pages are left, want 1", got)
		}
	}
	replace(t, files, ".gitignore", "")
	if sync1(t, m, s, reconcile.Options{}); len(m.Pages(s)) != 2 {
		t.Errorf("%d pages, want 2: nothing is ignored any more", len(m.Pages(s)))
	}
}
