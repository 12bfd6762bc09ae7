package write_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/files/fsys"
	"github.com/cairn-kb/cairn/internal/memory/write"
	"github.com/cairn-kb/cairn/internal/memory/write/writetest"
)

// A compaction of 20 documents, with a summary and a page whose link follows, is one
// write: after a stop at any step all of it is there, or none.
func TestCrashOfACompaction(t *testing.T) {
	t.Parallel()
	m := writetest.New(t)
	files := m.Files(nil)
	space := m.Space("notes", files)
	const hub = "See [[p7]].\n"
	first := []write.Change{put(space, "hub.md", hub)}
	for i := range 20 {
		first = append(first, put(space, fmt.Sprintf("p%d.md", i), fmt.Sprintf("---\nstatus: stale\n---\nText %d.\n", i)))
	}
	m.Apply(request(first...))
	db := m.Save()
	link := doc.RetargetOne{At: doc.Span{Start: strings.Index(hub, "p7"), End: strings.Index(hub, "p7") + 2}, Raw: "sum", Text: "p7"}
	stop := errors.New("stopped here")
	seen := map[bool]int{}
	for n := 1; ; n++ {
		m := writetest.Load(t, db)
		s := *space
		mem := files.CrashClone(fsys.KeepAll)
		s.Files = mem
		changes := []write.Change{edit(&s, "hub.md", doc.Retarget{Links: []doc.RetargetOne{link}}), put(&s, "sum.md", "Texts 0 to 19.\n")}
		for i := range 20 {
			changes = append(changes, edit(&s, fmt.Sprintf("p%d.md", i), doc.SetProperty{Key: "status", Value: "compacted"}, doc.AddRelation{Type: "compacted_into", Target: "sum"}))
		}
		count := 0
		m.Writer.Step = func(write.Step) error {
			if count++; count == n {
				return stop
			}
			return nil
		}
		_, err := m.Writer.Apply(context.Background(), request(changes...))
		if err != nil && !errors.Is(err, stop) {
			t.Fatal(err)
		}
		m.Reopen()
		s.Files = mem.CrashClone(fsys.KeepNone)
		if _, err := m.Writer.Recover(context.Background(), func(context.Context, int64) (*write.Space, error) { return &s, nil }); err != nil {
			t.Fatal(err)
		}
		tree := writetest.Tree(t, s.Files)
		_, whole := tree["sum.md"]
		seen[whole]++
		compacted := 0
		for i := range 20 {
			path := fmt.Sprintf("p%d.md", i)
			if !strings.Contains(tree[path], fmt.Sprintf("Text %d.", i)) || m.Bytes(m.Pages(&s)[path]) != tree[path] {
				t.Fatalf("step %d: %s is %q", n, path, tree[path])
			}
			if strings.Contains(tree[path], "status: compacted") && strings.Contains(tree[path], "- compacted_into [[sum]]") {
				compacted++
			}
		}
		if whole && (compacted != 20 || tree["hub.md"] != "See [[sum|p7]].\n") || !whole && (compacted != 0 || tree["hub.md"] != hub) || m.Pending() != 0 {
			t.Fatalf("step %d: %d of 20 are compacted, the summary is there: %t, hub is %q", n, compacted, whole, tree["hub.md"])
		}
		if err == nil {
			break
		}
	}
	if seen[true] < 2 || seen[false] < 2 {
		t.Errorf("the old state was seen %d times, the new one %d times: the test stops at the wrong places", seen[false], seen[true])
	}
}
