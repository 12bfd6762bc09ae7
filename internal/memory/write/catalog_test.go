package write_test

import (
	"context"
	"strings"
	"testing"

	"github.com/cairn-kb/cairn/internal/files/fsystest"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory/index"
	"github.com/cairn-kb/cairn/internal/memory/reconcile"
	"github.com/cairn-kb/cairn/internal/memory/write"
	"github.com/cairn-kb/cairn/internal/memory/write/writetest"
	"github.com/cairn-kb/cairn/internal/store"
)

// indexed is a memory with a space that has index files.
type indexed struct {
	*writetest.Memory
	s *write.Space
}

func newIndexed(t *testing.T) indexed {
	m := writetest.New(t)
	s := m.Space("kb", m.Files(nil))
	s.Policy.Index.File = "index"
	s.CheckPath = func(path string) error {
		if strings.HasPrefix(path, "index") {
			return kb.Errorf(kb.Refused, "ignored")
		}
		return nil
	}
	return indexed{m, s}
}

// state is whether the index files are known to have all pages, and which of them do not.
func (x indexed) state() (known bool, stale []string) {
	x.T.Helper()
	known, err := x.Writer.Cataloged(context.Background(), x.s)
	if err != nil {
		x.T.Fatal(err)
	}
	stale, err = x.Writer.Catalog(context.Background(), x.s, true)
	if err != nil {
		x.T.Fatal(err)
	}
	return known, stale
}

// current fails unless the index files are right, and known to be.
func (x indexed) current(after string) {
	x.T.Helper()
	if known, stale := x.state(); !known || len(stale) > 0 {
		x.T.Errorf("after %s: known %v, stale %v:\n%s", after, known, stale, fsystest.Get(x.T, x.s.Files, "index.md"))
	}
}

func (x indexed) rederive() {
	x.T.Helper()
	syncer := &reconcile.Syncer{Writer: x.Writer}
	if err := syncer.Rederive(context.Background(), x.s.Space); err != nil {
		x.T.Fatal(err)
	}
}

// bring indexes a new file, as a sync by another process does.
func (x indexed) bring(path, text string) {
	x.T.Helper()
	fsystest.Put(x.T, x.s.Files, path, text)
	ctx := context.Background()
	err := x.DB.Update(ctx, func(tx store.Tx) error {
		wr := kb.Write{Time: x.Now(), Actor: kb.Actor{Kind: kb.Sync}, Operation: "sync"}
		d := x.Writer.Derive(x.s, path, write.Found{Bytes: []byte(text), ModTime: x.Now()})
		_, err := index.New().Commit(ctx, tx, &wr, []index.Group{{Space: x.s.Space, Items: []index.Item{{Change: kb.Created, Derived: d}}}})
		return err
	})
	if err != nil {
		x.T.Fatal(err)
	}
}

const idA = "11111111-1111-4111-8111-111111111111"

func TestIndexFilesFollowRowsWithoutVersions(t *testing.T) {
	t.Parallel()
	x := newIndexed(t)
	x.Apply(request(put(x.s, "sub/a.md", "A\n"), put(x.s, "b.md", "B\n")))
	x.current("a write")
	x.Apply(request(put(x.s, "c.md", "C\n")))
	x.current("a second write")

	// The policy gives pages of a directory a type: their rows change, and no text does.
	x.s.Filing = x.s.Filing.TypeIn("sub", "procedure")
	x.rederive()
	if known, stale := x.state(); known || len(stale) != 1 {
		t.Errorf("after another policy: known %v, stale %v", known, stale)
	}
	x.Apply(request(put(x.s, "d.md", "D\n")))
	if got := fsystest.Get(t, x.s.Files, "index.md"); !strings.Contains(got, "## Procedures") {
		t.Errorf("the next write leaves the old section:\n%s", got)
	}
	x.current("a write after another policy")
}

func TestIndexFilesOfSharedIDs(t *testing.T) {
	t.Parallel()
	x := newIndexed(t)
	page := func(title string) string { return "---\nid: " + idA + "\ntitle: " + title + "\n---\n" }
	x.Apply(request(put(x.s, "orig.md", page("Orig"))))
	x.bring("copy.md", page("Copy"))
	x.Apply(request(put(x.s, "other.md", "Other\n")))
	x.current("a copy")
	if got := fsystest.Get(t, x.s.Files, "index.md"); strings.Count(got, idA) != 1 {
		t.Errorf("two pages have one id:\n%s", got)
	}
	change := put(x.s, "copy.md", page("Changed"))
	change.Action = write.Put{Bytes: []byte(page("Changed")), Overwrite: true}
	x.Apply(request(change))
	x.current("a change of the copy")

	// The id goes to the copy, which the write does not name.
	x.Apply(request(write.Change{Space: x.s, Path: "orig.md", Action: write.Delete{}}))
	if known, stale := x.state(); known && len(stale) > 0 {
		t.Error("index files are known to be right with the id that a page had")
	}
	x.Apply(request(put(x.s, "b.md", "B\n")))
	x.current("a write after the id went to another page")
	if got := fsystest.Get(t, x.s.Files, "index.md"); !strings.Contains(got, "Changed | "+idA) {
		t.Errorf("the copy does not have the id:\n%s", got)
	}
}

// A page may have an id that is made of a path where it was. Another one gets it when it goes.
func TestIndexFilesOfGeneratedIDs(t *testing.T) {
	t.Parallel()
	x := newIndexed(t)
	x.Apply(request(put(x.s, "a.md", "A\n")))
	x.Apply(request(write.Change{Space: x.s, Path: "a.md", Action: write.Move{To: "moved/a.md"}}))
	x.current("a move")
	x.Apply(request(put(x.s, "a.md", "Another A\n")))
	if known, stale := x.state(); known && len(stale) > 0 {
		t.Errorf("stale %v, and known to be right", stale)
	}
	x.Apply(request(put(x.s, "b.md", "B\n")))
	x.current("a write")
	x.Apply(request(write.Change{Space: x.s, Path: "moved/a.md", Action: write.Delete{}}))
	if known, stale := x.state(); known && len(stale) > 0 {
		t.Errorf("stale %v, and known to be right", stale)
	}
	x.Apply(request(put(x.s, "c.md", "C\n")))
	x.current("a write after a generated id went to another page")
}

// Another process indexes what it found.
func TestIndexFilesAfterASyncByAnother(t *testing.T) {
	t.Parallel()
	x := newIndexed(t)
	x.Apply(request(put(x.s, "a.md", "A\n")))
	x.bring("new.md", "New\n")
	if known, stale := x.state(); known || len(stale) != 1 {
		t.Errorf("known %v, stale %v", known, stale)
	}
	x.Apply(request(put(x.s, "b.md", "B\n")))
	x.current("a write after the sync")
}

// What is known of index files goes with their space.
func TestIndexFilesOfARemovedSpace(t *testing.T) {
	t.Parallel()
	x := newIndexed(t)
	x.Apply(request(put(x.s, "a.md", "A\n")))
	err := x.DB.Update(t.Context(), func(tx store.Tx) error { return x.Writer.Index.ForgetSpace(t.Context(), tx, x.s.Space, x.Now()) })
	if err != nil {
		t.Fatal(err)
	}
	err = x.DB.View(t.Context(), func(tx store.Tx) error {
		left, err := tx.Settings().All(t.Context())
		if len(left) > 0 {
			t.Errorf("left are %v", left)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}
