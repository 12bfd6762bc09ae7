package history_test

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/change"
	"github.com/cairn-kb/cairn/internal/memory/history"
	"github.com/cairn-kb/cairn/internal/memory/retrieve"
	"github.com/cairn-kb/cairn/internal/memory/space"
	"github.com/cairn-kb/cairn/internal/test/apptest"
	"github.com/cairn-kb/cairn/internal/upkeep/gitsync"
)

// What undo chooses by itself never leads out of the space that is meant, nor
// an agent to what somebody else wrote.
func TestUndoChooses(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	one, two, person := kb.Actor{Kind: kb.Agent, Name: "one"}, kb.Actor{Kind: kb.Agent, Name: "two"}, kb.Actor{Kind: kb.Human}
	for name, tc := range map[string]struct {
		as    kb.Actor
		space string
		req   history.UndoRequest
		gone  []string // what is taken back of a:by-one, a:by-two, b:by-two, a:by-human, b:by-one
		code  kb.Code
	}{
		"a person, the newest of anybody in the space": {as: person, space: "a", gone: []string{"a:by-human"}},
		"an agent, the newest of its own":              {as: one, space: "a", gone: []string{"a:by-one"}},
		"an agent without a name":                      {as: kb.Actor{Kind: kb.Agent}, space: "a", code: kb.NotFound},
		"its own, by the tool":                         {as: kb.Actor{Kind: kb.Human, Name: "x"}, space: "a", req: history.UndoRequest{Own: true}, code: kb.NotFound},
		"no space is chosen":                           {as: two, code: kb.Ambiguous},
		"no space is chosen, by actor":                 {as: two, req: history.UndoRequest{Actor: "two", Since: "today"}, code: kb.Ambiguous},
		"everywhere":                                   {as: person, req: history.UndoRequest{All: true}, gone: []string{"b:by-one"}},
		"everywhere, of its own":                       {as: two, req: history.UndoRequest{All: true}, gone: []string{"b:by-two"}},
		"all of an actor in the space":                 {as: person, space: "b", req: history.UndoRequest{Actor: "two", Since: "today"}, gone: []string{"b:by-two"}},
		"all of an actor everywhere":                   {as: person, space: "b", req: history.UndoRequest{Actor: "two", Since: "today", All: true}, gone: []string{"a:by-two", "b:by-two"}},
	} {
		t.Run(name, func(t *testing.T) {
			b := apptest.New(t)
			a := b.Open()
			for _, s := range []string{"a", "b"} {
				apptest.OK(gitsync.AddSpace(ctx, a, space.AddRequest{Root: b.Dir(s, map[string]string{"there.md": "There.\n"})}))(t)
				apptest.OK(gitsync.Sync(ctx, a, gitsync.SyncRequest{Space: s}))(t)
			}
			as := func(who kb.Actor, space string) *memory.Session {
				return a.For(memory.Caller{Dir: filepath.Dir(b.Opts.Home), Space: space, Actor: who})
			}
			written := []string{"a:by-one", "a:by-two", "b:by-two", "a:by-human", "b:by-one"}
			for i, who := range []kb.Actor{one, two, two, person, one} {
				apptest.OK(change.Put(ctx, as(who, "a"), change.PutRequest{Ref: written[i], Text: []byte("Text.\n")}))(t)
			}
			_, err := change.Undo(ctx, as(tc.as, tc.space), tc.req)
			if kb.CodeOf(err) != tc.code {
				t.Fatalf("got %v, want %q", err, tc.code)
			}
			left := map[string]bool{}
			for _, p := range apptest.OK(retrieve.Pages(ctx, a, retrieve.ListRequest{Within: retrieve.Within{All: true}}))(t).Items {
				left[p.Ref] = true
			}
			for _, gone := range tc.gone {
				if left[gone] {
					t.Errorf("%s is still there", gone)
				}
			}
			if want := 2 + len(written) - len(tc.gone); len(left) != want {
				t.Errorf("there are %v, want %d", left, want)
			}
		})
	}
}

// A person's number means that write, whoever made it and wherever.
func TestUndoByNumber(t *testing.T) {
	t.Parallel()
	s := newShared(t)
	apptest.OK(gitsync.AddSpace(s.ctx, s.me, space.AddRequest{Database: true, Name: "n"}))(t)
	w := apptest.OK(change.Put(s.ctx, s.me.In("n"), change.PutRequest{Ref: "p", Text: []byte("x")}))(t)
	got := apptest.OK(change.Undo(s.ctx, s.me.In("m"), history.UndoRequest{Write: w.Write, Own: true}))(t)
	if len(got.Pages) != 1 || got.Pages[0].Change != kb.Deleted {
		t.Errorf("it took back %+v", got)
	}
}
