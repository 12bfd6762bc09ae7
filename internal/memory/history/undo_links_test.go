package history_test

import (
	"strings"
	"testing"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/memory/change"
	"github.com/cairn-kb/cairn/internal/memory/history"
	"github.com/cairn-kb/cairn/internal/memory/links"
	"github.com/cairn-kb/cairn/internal/test/apptest"
)

// What an undo leaves under its new name keeps the links that follow it.
func TestUndoKeepsLinksToWhatItLeaves(t *testing.T) {
	t.Parallel()
	move := func(s *shared) {
		apptest.OK(change.Move(s.ctx, s.agent, change.MoveRequest{Ref: "zed", To: "deep/c"}))(t)
	}
	rename := func(s *shared) {
		apptest.OK(change.EditPage(s.ctx, s.agent, change.EditRequest{Ref: "zed", Edits: []doc.Edit{doc.SetTitle{Title: "Omega"}}}))(t)
	}
	for name, tc := range map[string]struct {
		do   func(s *shared)
		then func(s *shared) // by somebody else
		left string          // and why
		page string          // that the links lead to
	}{
		"moved, and changed since": {move, func(s *shared) {
			apptest.OK(change.EditPage(s.ctx, s.me, change.EditRequest{Ref: "deep/c", Edits: []doc.Edit{doc.Append{Text: "More."}}}))(t)
		}, "deep/c.md: changed since by human", "deep/c"},
		"renamed, and changed since": {rename, func(s *shared) {
			apptest.OK(change.EditPage(s.ctx, s.me, change.EditRequest{Ref: "zed", Edits: []doc.Edit{doc.Append{Text: "More."}}}))(t)
		}, "zed.md: changed since by human", "zed"},
		"moved, and another page is where it was": {move, func(s *shared) {
			s.put(s.me, "zed", "Another.\n")
		}, "deep/c.md: another page is at zed.md now", "deep/c"},
		"moved, and by the same another page was made there": {func(s *shared) {
			move(s)
			s.put(s.agent, "zed", "Another.\n")
		}, func(*shared) {}, "deep/c.md: another page is at zed.md now", "deep/c"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newShared(t)
			s.put(s.me, "zed", "---\ntitle: Alpha\n---\nA page.\n")
			s.put(s.me, "b", "See [[zed]] and [[Alpha]].\n")
			tc.do(s)
			tc.then(s)
			now := s.text("b")
			got := apptest.OK(change.Undo(s.ctx, s.me, history.UndoRequest{Actor: "agent:x", Since: "2026-03-01"}))(t)
			if text := s.text("b"); text != now {
				t.Errorf("the links became %q, and were %q", text, now)
			}
			if len(got.Skipped) != 2 {
				t.Fatalf("skipped %+v", got.Skipped)
			}
			for i, want := range []string{tc.left, "b.md: its links to " + tc.page + ".md follow that page"} {
				found := false
				for _, skipped := range got.Skipped {
					found = found || strings.Contains(skipped.Path+": "+skipped.Reason, want)
				}
				if !found {
					t.Errorf("skipped %+v, want %d: %q", got.Skipped, i, want)
				}
			}
			if links := apptest.OK(links.List(s.ctx, s.me, api.LinksRequest{Way: api.In, Ref: tc.page}))(t); len(links.Items) != 2 {
				t.Errorf("links to the page: %+v", links.Items)
			}
		})
	}
}

// Undoing a title leaves no link dangling that the write rewrote, in pages that
// were changed since neither.
func TestUndoOfATitleKeepsLinks(t *testing.T) {
	t.Parallel()
	s := newShared(t)
	s.put(s.me, "zed", "---\ntitle: Alpha\n---\nA page.\n")
	s.put(s.me, "b", "See [[Alpha]].\n")
	s.put(s.me, "c", "See [[Alpha]].\n")
	title := apptest.OK(change.EditPage(s.ctx, s.me, change.EditRequest{Ref: "zed", Edits: []doc.Edit{doc.SetTitle{Title: "Omega"}}}))(t).Write
	apptest.OK(change.EditPage(s.ctx, s.me, change.EditRequest{Ref: "c", Edits: []doc.Edit{doc.Append{Text: "More."}}}))(t)
	apptest.OK(change.Undo(s.ctx, s.me, history.UndoRequest{Write: title}))(t)
	if links := apptest.OK(links.List(s.ctx, s.me, api.LinksRequest{Way: api.In, Ref: "zed"}))(t); len(links.Items) != 2 || s.text("zed") != "---\ntitle: Alpha\n---\nA page.\n" {
		t.Errorf("links to the page: %+v; c is %q", links.Items, s.text("c"))
	}
}
