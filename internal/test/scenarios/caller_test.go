package scenarios_test

import (
	"context"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/change"
	"github.com/cairn-kb/cairn/internal/memory/history"
	"github.com/cairn-kb/cairn/internal/memory/read"
	"github.com/cairn-kb/cairn/internal/memory/space"
	"github.com/cairn-kb/cairn/internal/test/apptest"
	"github.com/cairn-kb/cairn/internal/upkeep/gitsync"
)

// Two agents of one server work in their own directories under their own
// names, and what one of them attaches is not the other's space.
func TestCallersHaveTheirOwnSpaceAndName(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	b := apptest.New(t)
	left, right := b.Dir("left", map[string]string{"l.md": "left"}), b.Dir("right", map[string]string{"r.md": "right"})
	a := b.Open()
	for _, dir := range []string{left, right} {
		apptest.OK(gitsync.AddSpace(ctx, a, space.AddRequest{Root: dir}))(t)
	}
	one := a.For(memory.Caller{Dir: left, Actor: kb.Actor{Kind: kb.Agent, Name: "one"}})
	two := a.For(memory.Caller{Dir: filepath.Join(right, "below"), Actor: kb.Actor{Kind: kb.Agent, Name: "two"}})
	for _, c := range []struct {
		a           *memory.Session
		space, name string
	}{{one, "left", "agent:one"}, {two, "right", "agent:two"}} {
		if s := apptest.OK(c.a.Spaces.DescribeCurrent(ctx))(t); s.Name != c.space {
			t.Errorf("%s works in %s, want %s", c.name, s.Name, c.space)
		}
		w := apptest.OK(change.Put(ctx, c.a, change.PutRequest{Ref: "new", Text: []byte("by " + c.name)}))(t)
		if got := w.Pages[0].Space; got != c.space {
			t.Errorf("%s wrote into %s, want %s", c.name, got, c.space)
		}
		h := apptest.OK(history.List(ctx, a, history.ListRequest{Ref: c.space + ":new"}))(t)
		if got := h.Items[0].Actor; got != c.name {
			t.Errorf("the history names %s, want %s", got, c.name)
		}
	}
}

// Who works in none of several spaces adds to none of them by chance, and
// changes no page of another space by a name that only it has.
func TestNobodyWritesIntoASpaceByChance(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	b := apptest.New(t)
	a := b.Open()
	for _, name := range []string{"left", "right"} {
		text := "---\ntitle: " + strings.ToUpper(name[:1]) + name[1:] + "\n---\n"
		apptest.OK(gitsync.AddSpace(ctx, a, space.AddRequest{Root: b.Dir(name, map[string]string{name + ".md": text})}))(t)
		apptest.OK(gitsync.Sync(ctx, a, gitsync.SyncRequest{Space: name}))(t)
	}
	elsewhere := a.For(memory.Caller{Dir: b.Dir("elsewhere", nil)})
	_, err := change.Put(ctx, elsewhere, change.PutRequest{Ref: "new", Text: []byte("text")})
	if kb.CodeOf(err) != kb.Ambiguous || apptest.Words(kb.AsError(err)) != "space_undecided first=left spaces=left, right" {
		t.Errorf("a new page of nobody's project: %v", err)
	}
	for _, c := range []struct {
		a   *memory.Session
		ref string
	}{{elsewhere, "right:new"}, {elsewhere.In("right"), "new2"}} {
		if w := apptest.OK(change.Put(ctx, c.a, change.PutRequest{Ref: c.ref, Text: []byte("text")}))(t); w.Pages[0].Space != "right" {
			t.Errorf("%s was written into %s", c.ref, w.Pages[0].Space)
		}
	}
	left := a.In("left")
	_, err = change.Delete(ctx, left, change.DeleteRequest{Ref: "Right"})
	if kb.CodeOf(err) != kb.NotFound || !strings.Contains(kb.AsError(err).Hint, "right:right") {
		t.Errorf("a page of another space by its title: %v", err)
	}
	if _, err = read.Get(ctx, left, read.GetRequest{Ref: "Right"}); kb.CodeOf(err) != kb.NotFound || !strings.Contains(kb.AsError(err).Hint, "right:right") {
		t.Errorf("read from another space than was asked for: %v", err)
	}
	standing := a.For(memory.Caller{Dir: filepath.Join(b.Home, "left")})
	if got := apptest.OK(read.Get(ctx, standing, read.GetRequest{Ref: "Right"}))(t); got.Space != "right" {
		t.Errorf("read from %s", got.Space)
	}
	for _, ref := range []string{"right:new", string(apptest.OK(read.Get(ctx, left, read.GetRequest{Ref: "right:right"}))(t).ID)} {
		apptest.OK(change.Delete(ctx, left, change.DeleteRequest{Ref: ref}))(t)
	}
}
