package reconcile_test

import (
	"io/fs"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/cairn-kb/cairn/internal/files/fsys"
	"github.com/cairn-kb/cairn/internal/memory/reconcile"
	"github.com/cairn-kb/cairn/internal/memory/write/writetest"
)

// slow is a tree whose root is listed when it may.
type slow struct {
	fsys.FS
	may    chan struct{} // nil for at once
	listed *atomic.Int64
}

func (s slow) ReadDir(name string) ([]fs.DirEntry, error) {
	if name == "." {
		s.listed.Add(1)
		<-s.may
	}
	return s.FS.ReadDir(name)
}

// Where a directory cannot be watched, as one in memory, questions that came
// before a listing began share what it finds.
func TestQuestionsShareAListing(t *testing.T) {
	t.Parallel()
	m := writetest.New(t)
	files := m.Files(map[string]string{"a.md": "# A\n"})
	synctest.Test(t, func(t *testing.T) {
		tree := slow{files, make(chan struct{}), new(atomic.Int64)}
		s := m.Space("notes", tree)
		f := reconcile.NewFollower(syncer(m))
		done := make(chan *reconcile.Report)
		ask := func() {
			r, err := f.Sync(t.Context(), s, reconcile.Options{ToRead: true})
			if err != nil {
				t.Error(err)
			}
			done <- r
		}
		go ask()
		synctest.Wait() // the first lists; those that come now have to wait for the next
		for range 6 {
			go ask()
		}
		synctest.Wait()
		close(tree.may)
		indexed := 0
		for range 7 {
			indexed += (<-done).Indexed
		}
		if n := tree.listed.Load(); n != 2 || indexed != 1 {
			t.Errorf("7 questions made %d listings, want 2, and indexed %d documents, want 1", n, indexed)
		}
		go ask()
		<-done
		if n := tree.listed.Load(); n != 3 {
			t.Errorf("a later question made %d listings, want 1", n-2)
		}
		if st := f.State(s.ID); st.Watched || st.Reason == "" {
			t.Errorf("it is followed like this: %+v", st)
		}
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	})
}
