package reconcile_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/cairn-kb/cairn/internal/files/fsys"
	"github.com/cairn-kb/cairn/internal/memory/reconcile"
	"github.com/cairn-kb/cairn/internal/memory/write/writetest"
)

// A question a moment after files were saved reads them again, and commits
// nothing: their times prove no more than before. One that comes later notes that
// they do, unless they are few, and from then on they are not read.
func TestQuestionsAfterASaveCommitNothing(t *testing.T) {
	t.Parallel()
	afterASave(t, 15, false)
	afterASave(t, 16, true)
}

func afterASave(t *testing.T, files int, notes bool) {
	m := writetest.New(t)
	root := t.TempDir()
	save := func(text string, at time.Time) {
		t.Helper()
		for i := range files {
			file := filepath.Join(root, fmt.Sprintf("a%d.md", i))
			if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			if err := os.Chtimes(file, at, at); err != nil {
				t.Fatal(err)
			}
		}
	}
	tree, err := fsys.OpenDir(root)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = tree.Close() })
	s := m.Space("notes", tree)
	saved := writetest.Start
	now := saved
	m.Writer.Now = func() time.Time { return now }
	commits := func(after time.Duration, ask func() *reconcile.Report) (committed bool, changes int) {
		t.Helper()
		now = saved.Add(after)
		before, err := m.Writer.Memory.Changed(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		r := ask()
		mark, err := m.Writer.Memory.Changed(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return mark != before, r.Plan.Changes()
	}
	ask := func() *reconcile.Report { return sync1(t, m, s, reconcile.Options{ToRead: true}) }
	save("# A\n", saved)
	sync1(t, m, s, reconcile.Options{})
	for _, tc := range []struct {
		name    string
		after   time.Duration
		do      func()
		commits bool
		changes int
	}{
		{"at once", 0, func() {}, false, 0},
		{"a second later", time.Second, func() {}, false, 0},
		{"the other bytes of the same moment", time.Second, func() { save("# B\n", saved) }, true, files},
		{"a second later again", time.Second, func() {}, false, 0},
		{"when the time proves something", 3 * time.Second, func() {}, notes, 0},
		{"from then on", 4 * time.Second, func() {}, false, 0},
		{"another time of the same bytes", 5 * time.Second, func() { save("# B\n", saved.Add(5*time.Second)) }, notes, 0},
		{"nothing since", 5 * time.Second, func() {}, false, 0},
	} {
		tc.do()
		committed, changes := commits(tc.after, ask)
		if committed != tc.commits || changes != tc.changes {
			t.Errorf("%d files, %s: committed %v, %d changes; want %v, %d", files, tc.name, committed, changes, tc.commits, tc.changes)
		}
	}
}
