package history_test

import (
	"context"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/change"
	"github.com/cairn-kb/cairn/internal/memory/history"
	"github.com/cairn-kb/cairn/internal/memory/read"
	"github.com/cairn-kb/cairn/internal/memory/space"
	"github.com/cairn-kb/cairn/internal/test/apptest"
	"github.com/cairn-kb/cairn/internal/upkeep/gitsync"
)

// two people and an agent share one memory.
type shared struct {
	t          *testing.T
	me, agent  *memory.Session
	ctx        context.Context
	lastByThem int64
}

func newShared(t *testing.T) *shared {
	t.Helper()
	b := apptest.New(t)
	b.Clock(time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC), time.Second)
	me := b.Open()
	s := &shared{t: t, me: me, ctx: context.Background()}
	s.agent = me.For(memory.Caller{Actor: kb.Actor{Kind: kb.Agent, Name: "x"}})
	apptest.OK(gitsync.AddSpace(s.ctx, me, space.AddRequest{Database: true, Name: "m"}))(t)
	return s
}

func (s *shared) put(a *memory.Session, ref, text string) {
	s.t.Helper()
	w := apptest.OK(change.Put(s.ctx, a, change.PutRequest{Ref: ref, Text: []byte(text), Overwrite: true, New: true}))(s.t)
	if a == s.agent {
		s.lastByThem = w.Write
	}
}

func (s *shared) text(ref string) string {
	s.t.Helper()
	got, err := read.Get(s.ctx, s.me, read.GetRequest{Ref: ref})
	if kb.CodeOf(err) == kb.NotFound {
		return "(gone)"
	}
	return apptest.OK(got, err)(s.t).Text
}

var idLine = regexp.MustCompile(`(?m)^id: [-0-9a-f]{36}$`)

func TestUndoForce(t *testing.T) {
	t.Parallel()
	const base = "---\ntitle: A\ntype: note\n---\nOne.\n\n- first\n- second\n\nLast.\n"
	edit := func(pairs ...string) string { return strings.NewReplacer(pairs...).Replace(base) }
	for name, tc := range map[string]struct {
		do            func(s *shared)
		want          string // the page afterwards
		reason        string // why it is left as it is
		lines         [][2]int
		at            string // where the page is then
		sinceTheStart bool   // all that the agent wrote
	}{
		"another key and another item": {
			do: func(s *shared) {
				s.put(s.me, "a", base)
				s.put(s.agent, "a", edit("type: note", "type: idea", "- second\n", "- second\n- third\n"))
				s.put(s.me, "a", edit("type: note", "type: idea", "- second\n", "- second\n- third\n- fourth\n", "title: A", "title: B"))
			},
			want: edit("- second\n", "- second\n- fourth\n", "title: A", "title: B"),
		},
		"the same line": {
			do: func(s *shared) {
				s.put(s.me, "a", base)
				s.put(s.agent, "a", edit("One.", "Eins."))
				s.put(s.me, "a", edit("One.", "Uno."))
			},
			want: edit("One.", "Uno."), reason: "changed since by others where it would have to change", lines: [][2]int{{5, 5}},
		},
		"made by the write": {
			do: func(s *shared) {
				s.put(s.agent, "a", base)
				s.put(s.me, "a", edit("One", "1"))
			},
			want: edit("One", "1"), reason: "created by the undone write",
		},
		"deleted by the write and made anew": {
			do: func(s *shared) {
				s.put(s.me, "a", base)
				s.lastByThem = apptest.OK(change.Delete(s.ctx, s.agent, change.DeleteRequest{Ref: "a"}))(t).Write
				s.put(s.me, "a", "new\n")
			},
			want: "new\n", reason: "deleted by the undone write, and created again since",
		},
		"deleted since": {
			do: func(s *shared) {
				s.put(s.me, "a", base)
				s.put(s.agent, "a", edit("One", "1"))
				apptest.OK(change.Delete(s.ctx, s.me, change.DeleteRequest{Ref: "a"}))(t)
			},
			want: "(gone)", reason: "deleted since by human",
		},
		"moved by the write and changed since": {
			do: func(s *shared) {
				s.put(s.me, "a", base)
				s.put(s.me, "b", "See [[a]].\n")
				s.lastByThem = apptest.OK(change.Move(s.ctx, s.agent, change.MoveRequest{Ref: "a", To: "deep/c"}))(t).Write
				apptest.OK(change.EditPage(s.ctx, s.me, change.EditRequest{Ref: "deep/c", Edits: []doc.Edit{doc.Append{Text: "More.\n"}}}))(t)
				s.put(s.me, "d", "Also [[c]].\n")
			},
			at: "a", want: base + "\nMore.\n",
		},
		"moved by the write and again since": {
			do: func(s *shared) {
				s.put(s.me, "a", base)
				s.lastByThem = apptest.OK(change.Move(s.ctx, s.agent, change.MoveRequest{Ref: "a", To: "b"}))(t).Write
				apptest.OK(change.Move(s.ctx, s.me, change.MoveRequest{Ref: "b", To: "c"}))(t)
			},
			at: "c", want: edit("type: note\n", "type: note\nid: ID\n"), // by which the page is known there
		},
		"others in between, twice": {
			do: func(s *shared) {
				s.put(s.me, "a", base)
				s.put(s.agent, "a", edit("One.", "1."))
				s.put(s.me, "a", edit("One.", "1.", "Last.", "End."))
				s.put(s.agent, "a", edit("One.", "1.", "Last.", "End.", "- first\n", "")) // and the newest is theirs
			},
			sinceTheStart: true, want: edit("Last.", "End."),
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := newShared(t)
			tc.do(s)
			req := history.UndoRequest{Write: s.lastByThem, Force: true}
			if tc.sinceTheStart {
				req = history.UndoRequest{Actor: "agent:x", Since: "today", Force: true}
			}
			at := tc.at
			if at == "" {
				at = "a"
			}
			before := s.text(at)
			dry := req
			dry.DryRun = true
			planned := apptest.OK(change.Undo(s.ctx, s.me, dry))(t)
			if s.text(at) != before {
				t.Fatal("a dry run changed the page")
			}
			got := apptest.OK(change.Undo(s.ctx, s.me, req))(t)
			if text := idLine.ReplaceAllString(s.text(at), "id: ID"); text != tc.want {
				t.Errorf("%s", cmp.Diff(tc.want, text))
			}
			reason, lines := "", [][2]int(nil)
			if len(got.Skipped) > 0 {
				reason, lines = got.Skipped[0].Reason, got.Skipped[0].Lines
			}
			if tc.reason == "" && reason != "" || !strings.Contains(reason, tc.reason) || fmt.Sprint(lines) != fmt.Sprint(tc.lines) {
				t.Errorf("skipped: %q %v, want %q %v", reason, lines, tc.reason, tc.lines)
			}
			unchanged := func(p api.WrittenPage) bool { return p.Change == "" }
			planned.Pages, got.Pages = slices.DeleteFunc(planned.Pages, unchanged), slices.DeleteFunc(got.Pages, unchanged)
			if len(planned.Pages) != len(got.Pages) || len(planned.Skipped) != len(got.Skipped) {
				t.Errorf("planned %+v\ndone %+v", planned, got)
			}
		})
	}
}

// An undo puts back the bytes that were there, also of links that have always
// had the name to which a page was moved. What was no part of the write stays.
func TestUndoOfAMoveRestoresBytes(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		before map[string]string // pages, by ref; b becomes c or gets the title C
		do     func(s *shared) api.Written
		since  func(s *shared)
		want   map[string]string // where not as before
	}{
		"wanted pages": {
			before: map[string]string{"a": "See [[b]] and the wanted page [[c]].\n", "b": "A page.\n", "w": "Only [[c]].\n"},
			do:     moveToC,
		},
		"every kind of link": {
			before: map[string]string{
				"a": "- relates_to [[b]]\n\n![[b#x|y]] [m](b.md) [n](<c.md>) [[c|b]]\n", "b": "Of [[b]] and [[c]].\n", "w": "[m](c.md)\n",
			},
			do: moveToC,
		},
		"a title": {
			before: map[string]string{"a": "See [[B]] and [[C]].\n", "b": "---\ntitle: B\n---\nA page.\n", "w": "Only [[C]].\n"},
			do: func(s *shared) api.Written {
				return apptest.OK(change.EditPage(s.ctx, s.me, change.EditRequest{Ref: "b", Edits: []doc.Edit{doc.SetTitle{Title: "C"}}}))(t)
			},
		},
		"made since": {
			before: map[string]string{"a": "See [[b]].\n", "b": "A page.\n"},
			do:     moveToC,
			since:  func(s *shared) { s.put(s.me, "n", "New, of [[c]].\n") },
			want:   map[string]string{"n": "New, of [[c]].\n"},
		},
		"links in a line that changed since": {
			before: map[string]string{"a": "See [[b]] and the wanted page [[c]].\n", "b": "A page.\n"},
			do:     moveToC,
			since:  func(s *shared) { s.put(s.me, "a", "[[c]]: see [[c]] or the wanted page [[c]]. More of [[c]]\n") },
			want:   map[string]string{"a": "[[c]]: see [[b]] or the wanted page [[c]]. More of [[c]]\n"},
		},
		"links that were taken out since": {
			before: map[string]string{"a": "See [[b]] and [[b]].\n", "b": "A page.\n"},
			do:     moveToC,
			since:  func(s *shared) { s.put(s.me, "a", "See nothing and [[c]].\n") },
			want:   map[string]string{"a": "See nothing and [[b]].\n"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := newShared(t)
			for _, ref := range slices.Sorted(maps.Keys(tc.before)) {
				s.put(s.me, ref, tc.before[ref])
			}
			done := tc.do(s)
			if tc.since != nil {
				tc.since(s)
			}
			undone := apptest.OK(change.Undo(s.ctx, s.me, history.UndoRequest{Write: done.Write}))(t)
			if len(undone.Pages) != len(done.Pages) || len(undone.Skipped) > 0 {
				t.Errorf("done with %d pages, undone with %+v", len(done.Pages), undone)
			}
			want := maps.Clone(tc.before)
			maps.Copy(want, tc.want)
			for ref, text := range want {
				if got := s.text(ref); got != text {
					t.Errorf("%s is %q, not %q", ref, got, text)
				}
			}
		})
	}
}

func moveToC(s *shared) api.Written {
	return apptest.OK(change.Move(s.ctx, s.me, change.MoveRequest{Ref: "b", To: "c"}))(s.t)
}
