package history_test

import (
	"strings"
	"testing"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/change"
	"github.com/cairn-kb/cairn/internal/memory/history"
	"github.com/cairn-kb/cairn/internal/test/apptest"
)

func (s *shared) undo(a *memory.Session) {
	s.t.Helper()
	apptest.OK(change.Undo(s.ctx, a, history.UndoRequest{}))(s.t)
}

func (s *shared) redo(a *memory.Session) {
	s.t.Helper()
	apptest.OK(change.Redo(s.ctx, a, history.RedoRequest{}))(s.t)
}

func withoutID(text string) string {
	_, rest, found := strings.Cut(text, "\n---\n\n")
	if !found {
		return text
	}
	return rest
}

// Undo again goes one further back, redo forward, also through a page that was
// moved and one that was deleted.
func TestUndoAndRedoInTurn(t *testing.T) {
	t.Parallel()
	s := newShared(t)
	s.put(s.me, "a", "One.\n")
	s.put(s.me, "a", "Two.\n")
	apptest.OK(change.Move(s.ctx, s.me, change.MoveRequest{Ref: "a", To: "b"}))(t)
	apptest.OK(change.Delete(s.ctx, s.me, change.DeleteRequest{Ref: "b"}))(t)
	states := [][2]string{{"(gone)", "(gone)"}, {"One.\n", "(gone)"}, {"Two.\n", "(gone)"}, {"(gone)", "Two.\n"}, {"(gone)", "(gone)"}}
	is := func(want [2]string) {
		t.Helper()
		// A page that moved has its id written into it.
		if got := [2]string{withoutID(s.text("a.md")), withoutID(s.text("b.md"))}; got != want {
			t.Fatalf("a and b are %q, want %q", got, want)
		}
	}
	for range 2 {
		for i := len(states) - 2; i >= 0; i-- {
			s.undo(s.me)
			is(states[i])
		}
		if _, err := change.Undo(s.ctx, s.me, history.UndoRequest{}); kb.AsError(err).Reason != kb.NothingToUndo {
			t.Fatalf("undo before the first write: %v", err)
		}
		for i := 1; i < len(states); i++ {
			s.redo(s.me)
			is(states[i])
		}
		if _, err := change.Redo(s.ctx, s.me, history.RedoRequest{}); kb.AsError(err).Reason != kb.NothingToRedo {
			t.Fatalf("redo after the last: %v", err)
		}
	}
	s.undo(s.me)
	s.put(s.me, "c", "Something else.\n")
	if _, err := change.Redo(s.ctx, s.me, history.RedoRequest{}); kb.AsError(err).Reason != kb.NothingToRedo {
		t.Errorf("redo after a new write: %v", err)
	}
	s.undo(s.me)
	s.undo(s.me)
	is(states[2])
}

// An agent goes back and forth in what it wrote itself, also where others wrote
// meanwhile or took something of it back.
func TestAnAgentsUndoAndRedo(t *testing.T) {
	t.Parallel()
	s := newShared(t)
	s.put(s.agent, "one", "1\n")
	s.put(s.agent, "two", "2\n")
	s.put(s.agent, "three", "3\n")
	apptest.OK(change.Undo(s.ctx, s.me, history.UndoRequest{Write: 3}))(t)
	s.put(s.me, "mine", "Mine.\n")
	s.undo(s.agent)
	if s.text("two") != "(gone)" || s.text("one") == "(gone)" || s.text("mine") == "(gone)" {
		t.Error("the agent's undo is not of its newest write in effect")
	}
	s.redo(s.agent)
	if s.text("two") != "2\n" || s.text("three") != "(gone)" {
		t.Error("the agent's redo is not of its own undo")
	}
}
