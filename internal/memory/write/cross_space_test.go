package write_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/files/fsys"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory/write"
	"github.com/cairn-kb/cairn/internal/memory/write/writetest"
	"github.com/cairn-kb/cairn/internal/policy"
)

// twoSpaces are a page and another space's link to it.
type twoSpaces struct {
	*writetest.Memory
	files  [2]*fsys.Mem
	spaces [2]*write.Space
}

func newTwoSpaces(t *testing.T) *twoSpaces {
	t.Helper()
	m := &twoSpaces{Memory: writetest.New(t)}
	for i, name := range []string{"garden", "work"} {
		m.files[i] = m.Files(nil)
		m.spaces[i] = m.Space(name, m.files[i])
	}
	m.recover()
	m.Apply(request(put(m.spaces[0], "a.md", "# A\n"), put(m.spaces[1], "plan.md", "See [[garden/a]] and [[garden/b]].\n")))
	return m
}

// recover finishes what the journal holds, and lets the writer open spaces.
func (m *twoSpaces) recover() {
	m.T.Helper()
	_, err := m.Writer.Recover(context.Background(), func(_ context.Context, row int64) (*write.Space, error) {
		for i, s := range m.spaces {
			if s.Row == row {
				s.Files = m.files[i]
				return s, nil
			}
		}
		return nil, kb.Errorf(kb.NotFound, "no such space")
	})
	if err != nil {
		m.T.Fatal(err)
	}
}

func (m *twoSpaces) move() error {
	_, err := m.Writer.Apply(context.Background(), request(write.Change{Space: m.spaces[0], Path: "a.md", Action: write.Move{To: "d/c.md"}}))
	return err
}

// A move that rewrites a page of another space is one write: after a crash at any
// step both directories and the index are as before, or as after.
func TestCrashOfAMoveAcrossSpaces(t *testing.T) {
	t.Parallel()
	stop := errors.New("stopped here")
	seen := map[bool]bool{}
	for n := 1; ; n++ {
		m := newTwoSpaces(t)
		count := 0
		m.Writer.Step = func(write.Step) error {
			if count++; count == n {
				return stop
			}
			return nil
		}
		err := m.move()
		if err != nil && !errors.Is(err, stop) {
			t.Fatal(err)
		}
		for i := range m.files {
			m.files[i] = m.files[i].CrashClone(fsys.KeepNone)
		}
		m.Reopen()
		m.recover()
		garden, work := writetest.Tree(t, m.files[0]), writetest.Tree(t, m.files[1])
		_, moved := garden["d/c.md"]
		seen[moved] = true
		if _, stayed := garden["a.md"]; stayed == moved {
			t.Errorf("step %d: the page is at %v", n, garden)
		}
		want := "See [[garden/a]] and [[garden/b]].\n"
		to := "plan.md -> a.md"
		if moved {
			want, to = "See [[garden/c]] and [[garden/b]].\n", "plan.md -> d/c.md"
		}
		if work["plan.md"] != want || m.Bytes(m.Pages(m.spaces[1])["plan.md"]) != want {
			t.Errorf("step %d, moved %t: the link is %q", n, moved, work["plan.md"])
		}
		if links := m.Links(m.spaces[1]); len(links) != 2 || links[0] != to {
			t.Errorf("step %d, moved %t: links %q", n, moved, links)
		}
		if m.Pending() != 0 {
			t.Errorf("step %d: the journal is not empty", n)
		}
		if err == nil {
			break
		}
	}
	if !seen[true] || !seen[false] {
		t.Errorf("seen %v: the test stops at the wrong places", seen)
	}
}

// Where the policy of the other space lets nobody touch the page, the move is
// refused as within one space.
func TestMoveAsksThePolicyOfTheLinkingSpace(t *testing.T) {
	t.Parallel()
	m := newTwoSpaces(t)
	pol, err := policy.Parse([]byte("[[permissions.rule]]\neffect = \"deny\"\noperations = [\"edit\"]\npaths = [\"plan.md\"]\n"))
	if err != nil {
		t.Fatal(err)
	}
	m.spaces[1].Policy = pol
	err = m.move()
	if e := kb.AsError(err); kb.CodeOf(err) != kb.Refused || e.Reason != kb.LinksProtected {
		t.Fatalf("the move: %v", err)
	}
	if _, there := writetest.Tree(t, m.files[0])["a.md"]; !there {
		t.Error("the page has moved")
	}
}

// A link may have the name of its own space in front: it follows a page as others do, whether the
// path or the title changes.
func TestLinksWithTheirOwnSpaceFollow(t *testing.T) {
	t.Parallel()
	m := newTwoSpaces(t)
	garden := m.spaces[0]
	m.Apply(request(
		put(garden, "t.md", "---\ntitle: Old name\n---\nText.\n"),
		put(garden, "sub/b.md", "---\nup: \"[[garden:t]]\"\n---\nSee [[garden:t]], [[Garden:t#T|it]], [[garden/t]], [[t]], [[garden:Old name]] and [[work:plan]].\n\n- part_of [[garden:t]]\n"),
	))
	m.Apply(request(write.Change{Space: garden, Path: "t.md", Action: write.Move{To: "d/u.md"}}))
	m.Apply(request(edit(garden, "d/u.md", doc.SetProperty{Key: "title", Value: "New name"})))
	want := "---\nup: \"[[garden:u]]\"\n---\nSee [[garden:u]], [[Garden:u#T|it]], [[garden/u]], [[u]], [[garden:New name]] and [[work:plan]].\n\n- part_of [[garden:u]]\n"
	if got := writetest.Tree(t, m.files[0])["sub/b.md"]; got != want {
		t.Errorf("the page is\n%s\nnot\n%s", got, want)
	}
}

// A page that one of another space replaces is stale in the write that says so, and
// active again in the one that ends it; after a crash at any step both are as before, or
// as after.
func TestSupersedingActsAcrossSpaces(t *testing.T) {
	t.Parallel()
	acting := func(m *twoSpaces) {
		m.spaces[0].Policy.Lifecycle, m.spaces[1].Policy.Lifecycle = life, life
		m.Apply(request(put(m.spaces[1], "new.md", "# New\n")))
	}
	say := func(m *twoSpaces, a write.Action) error {
		_, err := m.Writer.Apply(context.Background(), request(write.Change{Space: m.spaces[1], Path: "new.md", Action: a}))
		return err
	}
	m := newTwoSpaces(t)
	acting(m)
	is := func(want kb.Status) {
		t.Helper()
		if p := m.Pages(m.spaces[0])["a.md"]; p.Status != want {
			t.Errorf("a is %s, want %s:\n%s", p.Status, want, m.Bytes(p))
		}
	}
	supersedes := supersede("garden/a")
	if err := say(m, supersedes); err != nil {
		t.Fatal(err)
	}
	is(kb.Stale)
	if text := m.Bytes(m.Pages(m.spaces[0])["a.md"]); !strings.Contains(text, "superseded by work:new") {
		t.Errorf("the reason is missing in %q", text)
	}
	if err := say(m, write.Edit{Edits: []doc.Edit{doc.RemoveRelation{Type: "supersedes", Target: "garden/a"}}}); err != nil {
		t.Fatal(err)
	}
	is(kb.Active)

	// The rules of a space are its own: where they say nothing of it, nothing happens.
	m.spaces[0].Policy.Lifecycle = policy.Lifecycle{}
	if err := say(m, supersedes); err != nil {
		t.Fatal(err)
	}
	is(kb.Active)

	stop := errors.New("stopped here")
	seen := map[kb.Status]bool{}
	for n := 1; ; n++ {
		m := newTwoSpaces(t)
		acting(m)
		count := 0
		m.Writer.Step = func(write.Step) error {
			if count++; count == n {
				return stop
			}
			return nil
		}
		err := say(m, supersedes)
		if err != nil && !errors.Is(err, stop) {
			t.Fatal(err)
		}
		for i := range m.files {
			m.files[i] = m.files[i].CrashClone(fsys.KeepNone)
		}
		m.Reopen()
		m.recover()
		status := m.Pages(m.spaces[0])["a.md"].Status
		seen[status] = true
		if says := strings.Contains(writetest.Tree(t, m.files[1])["new.md"], "supersedes"); says != (status == kb.Stale) {
			t.Errorf("step %d: a is %s, and that it is replaced is said: %t", n, status, says)
		}
		if m.Pending() != 0 {
			t.Errorf("step %d: the journal is not empty", n)
		}
		if err == nil {
			break
		}
	}
	if !seen[kb.Stale] || !seen[kb.Active] {
		t.Errorf("seen %v: the test stops at the wrong places", seen)
	}
}
