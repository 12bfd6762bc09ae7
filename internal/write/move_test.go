package write_test

import (
	"fmt"
	"testing"

	"github.com/cairn-kb/cairn/internal/fsys"
	"github.com/cairn-kb/cairn/internal/fsys/fsystest"
	"github.com/cairn-kb/cairn/internal/write"
	"github.com/cairn-kb/cairn/internal/write/writetest"
)

// A page that many link to costs a flush for each file that changes, and one for
// each directory that they are in.
func TestMoveFlushesEachDirectoryOnce(t *testing.T) {
	m := writetest.New(t)
	mem := m.Files(nil)
	fault := fsys.NewFault(mem)
	s := m.Space("notes", fault)
	changes := []write.Change{put(s, "b.md", "# B\n")}
	for i := range 60 {
		changes = append(changes, put(s, fmt.Sprintf("d%d/p%d.md", i%3, i), "See [[b]].\n"))
	}
	m.Apply(request(changes...))
	before := len(fault.Calls())
	m.Apply(request(write.Change{Space: s, Path: "b.md", Action: write.Move{To: "c.md"}}))
	flushes := map[string]int{}
	for _, c := range fault.Calls()[before:] {
		if c.Op == "syncdir" {
			flushes[c.Name]++
		}
	}
	for _, dir := range []string{"d0", "d1", "d2"} {
		if flushes[dir] != 1 {
			t.Errorf("%s was flushed %d times", dir, flushes[dir])
		}
	}
	if got := fsystest.Get(t, mem, "d1/p1.md"); got != "See [[c]].\n" {
		t.Errorf("got %q", got)
	}
}
