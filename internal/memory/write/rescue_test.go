package write_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/files/fsys"
	"github.com/cairn-kb/cairn/internal/memory/write"
	"github.com/cairn-kb/cairn/internal/memory/write/writetest"
	"github.com/cairn-kb/cairn/internal/test/slowtest"
)

// hasty is a file system in which an editor replaces a file in the very instant
// before we do, by exchange or by putting it aside.
type hasty struct {
	fsys.FS
	t    *testing.T
	name string
	text string
	once bool
}

func (h *hasty) Exchange(a, b string) error {
	h.save(b)
	return h.FS.Exchange(a, b)
}

func (h *hasty) Rename(from, to string) error {
	if fsys.IsTemp(to) {
		h.save(from)
	}
	return h.FS.Rename(from, to)
}

func (h *hasty) save(name string) {
	if name != h.name || h.once {
		return
	}
	h.once = true
	writetest.Put(h.t, h.FS, "saved.txt", h.text)
	if err := h.FS.Rename("saved.txt", name); err != nil {
		h.t.Fatal(err)
	}
}

// What an editor put in place in the last instant is in the history, wherever
// our process is killed after that, and also where it lives and the disk keeps
// it from giving it back.
func TestLastInstant(t *testing.T) {
	t.Parallel()
	slowtest.NoRace(t, "one thing after the other, many times")
	step := slowtest.Step(7)
	const saved = "# A\n\nfrom the editor\n"
	for _, op := range []struct {
		name    string
		changes func(*write.Space) []write.Change
		file    string // "" is a.md
	}{
		{name: "edit", changes: func(s *write.Space) []write.Change {
			return []write.Change{edit(s, "a.md", doc.Append{Text: "ours\n"}), edit(s, "c.md", doc.Append{Text: "ours\n"})}
		}},
		{name: "move", changes: func(s *write.Space) []write.Change {
			return []write.Change{
				edit(s, "a.md", doc.Append{Text: "ours\n"}),
				{Space: s, Path: "a.md", Action: write.Move{To: "e/f/g.md"}},
			}
		}},
		{name: "delete", changes: func(s *write.Space) []write.Change {
			return []write.Change{{Space: s, Path: "a.md", Action: write.Delete{}}}
		}},
		{"sidecar", func(s *write.Space) []write.Change {
			return []write.Change{source(s, "c.md", "crm", "1"), edit(s, "a.md", doc.Append{Text: "ours\n"})}
		}, ".raw/c.json"},
		{"move of a sidecar", func(s *write.Space) []write.Change {
			return []write.Change{source(s, "d/b.md", "crm", "2"), {Space: s, Path: "d/b.md", Action: write.Move{To: "e/b.md"}}}
		}, "d/.raw/b.json"},
	} {
		for _, fail := range []func(*fsys.Fault, int){
			func(f *fsys.Fault, n int) { f.CrashAt(n) },
			// Every call that could give it back, whatever comes before and after.
			func(f *fsys.Fault, n int) {
				f.FailIf(func(c fsys.Call) bool {
					return c.N >= n && (c.Op == "exchange" || c.Op == "link" || c.Op == "rename")
				}, errors.New("no such luck"))
			},
		} {
			t.Run(op.name, func(t *testing.T) {
				kept := 0
				for n := 1; ; n += step {
					m, mem, s := scene(t)
					h := &hasty{FS: mem, t: t, name: cmp.Or(op.file, "a.md"), text: saved}
					f := fsys.NewFault(h)
					fail(f, n)
					s.Files = f
					if _, err := m.Writer.Apply(context.Background(), request(op.changes(s)...)); err == nil && h.once {
						t.Errorf("call %d: the editor's text was replaced without a word", n)
					}
					if len(f.Calls()) < n {
						break
					}
					m.Reopen()
					s.Files = mem
					if _, err := m.Writer.Recover(context.Background(), opener(s)); err != nil {
						t.Fatalf("call %d: %v", n, err)
					}
					if m.Pending() != 0 {
						t.Errorf("call %d: the journal is not empty", n)
					}
					if !h.once {
						continue
					}
					kept++
					there := false
					for name, text := range writetest.Tree(t, mem) {
						there = there || text == saved && !fsys.IsTemp(name)
					}
					if !there && !known(m, saved) {
						t.Errorf("call %d (%v): what the editor saved is nowhere", n, f.Calls()[n-1])
					}
				}
				if kept == 0 {
					t.Error("the editor never saved")
				}
			})
		}
	}
}

// A killed process leaves a temporary file for each of its operations. Recovery reads each file a few
// times, and not all of them for each temporary file.
func TestRecoverReadsEachFileAFewTimes(t *testing.T) {
	t.Parallel()
	m := writetest.New(t)
	const pages = 60
	files := map[string]string{}
	for n := range pages {
		files[fmt.Sprintf("p%d.md", n)] = fmt.Sprintf("# Page %d\n", n)
	}
	mem := m.Files(nil)
	s := m.Space("notes", mem)
	var puts, edits []write.Change
	for path, text := range files {
		puts = append(puts, put(s, path, text))
		edits = append(edits, edit(s, path, doc.Append{Text: "More.\n"}))
	}
	m.Apply(request(puts...))
	crash := fsys.NewFault(mem)
	placed := 0
	crash.FailIf(func(c fsys.Call) bool {
		if c.Op == "exchange" {
			placed++
		}
		return placed > pages/2
	}, errors.New("killed"))
	s.Files = crash
	if _, err := m.Writer.Apply(t.Context(), request(edits...)); err == nil {
		t.Fatal("the write was not killed")
	}
	m.Reopen()
	seen := fsys.NewFault(mem)
	s.Files = seen
	got, err := m.Writer.Recover(t.Context(), opener(s))
	if err != nil || len(got) != 1 || !got[0].Finished {
		t.Fatalf("recovered %+v, %v", got, err)
	}
	opens := 0
	for _, c := range seen.Calls() {
		if c.Op == "open" {
			opens++
		}
	}
	if opens > 10*pages {
		t.Errorf("%d files were read for %d pages", opens, pages)
	}
	for path, p := range m.Pages(s) {
		if want := files[path] + "\nMore.\n"; m.Bytes(p) != want {
			t.Errorf("%s is %q", path, m.Bytes(p))
		}
	}
}
