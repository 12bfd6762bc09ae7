//go:build (amd64 || arm64) && !race

// The race detector has pools drop what they keep, so that its runs count other
// allocations.

package reconcile_test

import (
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/cairn-kb/cairn/internal/files/fsys"
	"github.com/cairn-kb/cairn/internal/memory/reconcile"
	"github.com/cairn-kb/cairn/internal/memory/write/writetest"
)

// Where nothing changed a sync before a question makes nothing for a file, and
// where one changed nothing for the others.
func TestUnchangedFilesCostNoAllocations(t *testing.T) {
	// Serial: it counts allocations.
	m := writetest.New(t)
	root := t.TempDir()
	const n = 2000
	for i := range n {
		dir := fmt.Sprintf("%s/d%d", root, i%4)
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		name := fmt.Sprintf("%s/a note with a longer name %d.md", dir, i)
		if err := os.WriteFile(name, []byte("# A note\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(name, writetest.Start, writetest.Start); err != nil { // long before the clock of the memory
			t.Fatal(err)
		}
	}
	tree, err := fsys.OpenDir(root)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = tree.Close() })
	s := m.Space("notes", tree)
	m.Now()
	sync1(t, m, s, reconcile.Options{})
	ask := func() {
		if r := sync1(t, m, s, reconcile.Options{ToRead: true}); r.Plan.Unchanged != n || r.Plan.Documents != n {
			t.Errorf("%+v", r.Plan)
		}
	}
	// A clock that passes ten minutes at each look has syncs note that they were.
	now := m.Now()
	m.Writer.Now = func() time.Time { return now }
	ask()
	if got := testing.AllocsPerRun(5, ask); got > 500 {
		t.Errorf("%v allocations where nothing changed in %d files", got, n)
	}
	changed := root + "/d1/a note with a longer name 1.md"
	i := 0
	if got := testing.AllocsPerRun(5, func() {
		i++
		at := writetest.Start.Add(time.Duration(i) * time.Second)
		if err := os.Chtimes(changed, at, at); err != nil {
			t.Fatal(err)
		}
		ask()
	}); got > n {
		t.Errorf("%v allocations where one of %d files has another time", got, n)
	}
}
