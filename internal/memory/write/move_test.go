package write_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/files/fsys"
	"github.com/cairn-kb/cairn/internal/files/fsystest"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory/write"
	"github.com/cairn-kb/cairn/internal/memory/write/writetest"
	"github.com/cairn-kb/cairn/internal/store"
)

// A page that many link to costs a flush for each file that changes, and one for
// each directory that they are in.
func TestMoveFlushesEachDirectoryOnce(t *testing.T) {
	t.Parallel()
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

// counted counts the transactions of a memory.
type counted struct {
	store.Memory
	updates int
}

func (c *counted) Update(ctx context.Context, f func(store.Tx) error) error {
	c.updates++
	return c.Memory.Update(ctx, f)
}

// The move of a page, and the move back, cost as many transactions however many
// pages link to it, and as many calls of the file system for each of these.
func TestMoveWorkIsLinear(t *testing.T) {
	t.Parallel()
	work := func(n int) (updates, calls int) {
		m := writetest.New(t)
		fault := fsys.NewFault(m.Files(nil))
		s := m.Space("notes", fault)
		changes := []write.Change{put(s, "b.md", "# B\n")}
		for i := range n {
			changes = append(changes, put(s, fmt.Sprintf("d/p%d.md", i), fmt.Sprintf("See [[b]] and [[p%d]].\n", (i+1)%n)))
		}
		m.Apply(request(changes...))
		c := &counted{Memory: m.Writer.Memory}
		m.Writer.Memory = c
		before := len(fault.Calls())
		m.Apply(request(write.Change{Space: s, Path: "b.md", Action: write.Move{To: "x/c.md"}}))
		m.Apply(request(write.Change{Space: s, Path: "x/c.md", Action: write.Move{To: "b.md"}}))
		return c.updates, len(fault.Calls()) - before
	}
	fewUpdates, few := work(50)
	manyUpdates, many := work(100)
	if manyUpdates != fewUpdates {
		t.Errorf("%d transactions for 50 links, %d for 100", fewUpdates, manyUpdates)
	}
	if many >= 2*few {
		t.Errorf("%d calls of the file system for 50 links, %d for 100", few, many)
	}
	const perPage = 80 // in both moves: to read a page, to stage its text and to put it in place
	if many > perPage*100 {
		t.Errorf("%d calls of the file system for 100 links", many)
	}
}

// Pages that move together keep the links between them, in whatever order they
// are moved, and so do those that stay.
func TestMoveTogether(t *testing.T) {
	t.Parallel()
	m := writetest.New(t)
	mem := m.Files(nil)
	s := m.Space("notes", mem)
	m.Apply(request(
		put(s, "in/a.md", "[b](b.md) [c](sub/c.md) [x](../x.md) [[in/b]] [[b]] [me](a.md)\n"),
		put(s, "in/b.md", "[a](a.md) [[a]]\n"),
		put(s, "in/sub/c.md", "[a](../a.md) [[in/a]] [me](c.md)\n"),
		put(s, "other/b.md", "The other.\n"),
		put(s, "x.md", "[a](in/a.md) [[in/sub/c]] [[in/b]]\n"),
	))
	m.Apply(request(
		write.Change{Space: s, Path: "in/a.md", Action: write.Move{To: "out/in/a.md"}},
		write.Change{Space: s, Path: "in/b.md", Action: write.Move{To: "out/in/b.md"}},
		write.Change{Space: s, Path: "in/sub/c.md", Action: write.Move{To: "out/in/sub/c.md"}},
	))
	for path, want := range map[string]string{
		"out/in/a.md":     "[b](b.md) [c](sub/c.md) [x](../../x.md) [[in/b]] [[b]] [me](a.md)\n",
		"out/in/b.md":     "[a](a.md) [[a]]\n",
		"out/in/sub/c.md": "[a](../a.md) [[in/a]] [me](c.md)\n",
		"x.md":            "[a](out/in/a.md) [[in/sub/c]] [[in/b]]\n",
	} {
		if got := fsystest.Get(t, mem, path); !strings.HasSuffix(got, want) { // the moved ones carry their ids
			t.Errorf("%s is %q, want %q", path, got, want)
		}
	}
}

// Of many pages with one name only the links that would lead elsewhere are rewritten,
// whether the page moves or gets another title.
func TestMoveAmongMany(t *testing.T) {
	t.Parallel()
	m := writetest.New(t)
	mem := m.Files(nil)
	s := m.Space("notes", mem)
	changes := []write.Change{put(s, "d1/beside.md", "[[same]] [[d2/same]] [[d1/same]] [[SAME]] [x](same.md)\n")}
	for i := range 30 {
		changes = append(changes, put(s, fmt.Sprintf("d%d/same.md", i), "See [[same]] and [[Called]].\n"))
	}
	m.Apply(request(changes...))
	m.Apply(request(write.Change{Space: s, Path: "d1/same.md", Action: write.Move{To: "d1/other.md"}}))
	m.Apply(request(write.Change{Space: s, Path: "d3/same.md", Action: write.Edit{Edits: []doc.Edit{doc.SetTitle{Title: "Called"}}}}))
	m.Apply(request(write.Change{Space: s, Path: "d3/same.md", Action: write.Edit{Edits: []doc.Edit{doc.SetTitle{Title: "Renamed"}}}}))
	for path, want := range map[string]string{
		"d1/beside.md": "[[other]] [[d2/same]] [[d1/other]] [[other]] [x](other.md)\n",
		"d1/other.md":  "See [[other]] and [[Renamed]].\n",
		"d2/same.md":   "See [[same]] and [[Renamed]].\n",
		"d3/same.md":   "See [[same]] and [[Renamed]].\n",
	} {
		if got := fsystest.Get(t, mem, path); !strings.HasSuffix(got, want) {
			t.Errorf("%s is %q, want %q", path, got, want)
		}
	}
}

// Who changes many pages learns of all that cannot be changed so, and none is.
func TestAllRefusalsAreNamed(t *testing.T) {
	t.Parallel()
	m := writetest.New(t)
	mem := m.Files(nil)
	s := m.Space("notes", mem)
	var changes []write.Change
	for i := range 9 {
		changes = append(changes, put(s, fmt.Sprintf("p%d.md", i), "old\n"))
	}
	m.Apply(request(changes...))
	for i, c := range changes {
		find := "old"
		if i%4 == 0 {
			find = "none"
		}
		changes[i] = write.Change{Space: s, Path: c.Path, Action: write.Edit{Edits: []doc.Edit{doc.Replace{Old: find, New: "new", Expect: 1}}}}
	}
	_, err := m.Writer.Apply(t.Context(), request(changes...))
	text, err2 := json.Marshal(kb.AsError(err).Details["pages"])
	if err2 != nil || strings.Count(string(text), `"path"`) != 3 || !strings.Contains(err.Error(), "3 pages") || !strings.Contains(err.Error(), "p8.md (") {
		t.Errorf("the error is %v, with the pages %s", err, text)
	}
	if got := fsystest.Get(t, mem, "p1.md"); got != "old\n" {
		t.Errorf("a page was changed: %q", got)
	}
	_, err = m.Writer.Apply(t.Context(), request(changes[3:5]...))
	if err == nil || !strings.HasPrefix(err.Error(), "p4.md: ") {
		t.Errorf("of two pages one is refused: %v", err)
	}
}

// What was there is brought back beside what it was beside, though no page would
// be made there now.
func TestUndoIsAsItWas(t *testing.T) {
	t.Parallel()
	m := writetest.New(t)
	s := m.Space("notes", m.Files(nil))
	m.Apply(request(put(s, "day/a.md", "a\n")))
	m.Apply(request(write.Change{Space: s, Path: "day/a.md", Action: write.Move{To: "days/a.md"}}))
	m.Apply(request(put(s, "Day/b.md", "b\n")))
	back := request(write.Change{Space: s, Path: "days/a.md", Action: write.Move{To: "day/a.md"}})
	if _, err := m.Writer.Apply(t.Context(), back); kb.CodeOf(err) != kb.Conflict {
		t.Errorf("a twin of a directory is made: %v", err)
	}
	back.Operation = "undo"
	m.Apply(back)
}

// The links of a page that moves into another directory lead where they led, also where a
// page of that name is nearer there. What was ambiguous or led nowhere stays as it is.
func TestMoveKeepsWhereItsOwnLinksLead(t *testing.T) {
	t.Parallel()
	m := writetest.New(t)
	mem := m.Files(nil)
	s := m.Space("notes", mem)
	m.Apply(request(
		put(s, "x/b.md", "---\naliases: [Bee]\n---\n"), put(s, "y/b.md", "---\naliases: [Bee]\n---\n"), put(s, "c.md", "# C\n"), put(s, "y/later.md", "# L\n"),
		put(s, "x/a.md", "[[b]] [[./b]] [[b#h|t]] ![[b]] [[Bee|bee]] [b](b.md) [[c]] [[./later]] [[none]] [[x/b]] `[[b]]`\n\n- part_of [[b]]\n"),
		put(s, "in.md", "[[x/a]]\n"),
	))
	m.Apply(request(write.Change{Space: s, Path: "x/a.md", Action: write.Move{To: "y/a.md"}}))
	want := "[[x/b]] [[x/b]] [[x/b#h|t]] ![[x/b]] [[x/b|bee]] [b](../x/b.md) [[c]] [[./later]] [[none]] [[x/b]] `[[b]]`\n\n- part_of [[x/b]]\n"
	if got := fsystest.Get(t, mem, "y/a.md"); !strings.HasSuffix(got, "---\n\n"+want) {
		t.Errorf("%q, want %q", got, want)
	}
	if got := fsystest.Get(t, mem, "in.md"); got != "[[y/a]]\n" {
		t.Errorf("the link to it: %q", got)
	}
}
