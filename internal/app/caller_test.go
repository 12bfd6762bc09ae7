package app_test

import (
	"context"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cairn-kb/cairn/internal/app"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/test/apptest"
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
		apptest.OK(a.Spaces().Add(ctx, app.SpaceAdd{Root: dir}))(t)
	}
	one := a.For(app.Caller{Dir: left, Actor: kb.Actor{Kind: kb.Agent, Name: "one"}})
	two := a.For(app.Caller{Dir: filepath.Join(right, "below"), Actor: kb.Actor{Kind: kb.Agent, Name: "two"}})
	for _, c := range []struct {
		a           *app.App
		space, name string
	}{{one, "left", "agent:one"}, {two, "right", "agent:two"}} {
		if s := apptest.OK(c.a.Spaces().Current(ctx))(t); s.Name != c.space {
			t.Errorf("%s works in %s, want %s", c.name, s.Name, c.space)
		}
		w := apptest.OK(c.a.Put(ctx, app.PutRequest{Ref: "new", Text: []byte("by " + c.name)}))(t)
		if got := w.Pages[0].Space; got != c.space {
			t.Errorf("%s wrote into %s, want %s", c.name, got, c.space)
		}
		h := apptest.OK(a.Versions().List(ctx, app.HistoryRequest{Ref: c.space + ":new"}))(t)
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
	for name, text := range map[string]string{"left": "---\ntitle: Left\n---\n", "right": "---\ntitle: Right\n---\n"} {
		apptest.OK(a.Spaces().Add(ctx, app.SpaceAdd{Root: b.Dir(name, map[string]string{name + ".md": text})}))(t)
		apptest.OK(a.Sync(ctx, app.SyncRequest{Space: name}))(t)
	}
	elsewhere := a.For(app.Caller{Dir: b.Dir("elsewhere", nil)})
	_, err := elsewhere.Put(ctx, app.PutRequest{Ref: "new", Text: []byte("text")})
	if kb.CodeOf(err) != kb.Ambiguous || apptest.Words(kb.AsError(err)) != "space_undecided first=left spaces=left, right" {
		t.Errorf("a new page of nobody's project: %v", err)
	}
	for _, c := range []struct {
		a   *app.App
		ref string
	}{{elsewhere, "right:new"}, {elsewhere.In("right"), "new2"}} {
		if w := apptest.OK(c.a.Put(ctx, app.PutRequest{Ref: c.ref, Text: []byte("text")}))(t); w.Pages[0].Space != "right" {
			t.Errorf("%s was written into %s", c.ref, w.Pages[0].Space)
		}
	}
	left := a.In("left")
	_, err = left.Delete(ctx, app.DeleteRequest{Ref: "Right"})
	if kb.CodeOf(err) != kb.NotFound || !strings.Contains(kb.AsError(err).Hint, "right:right") {
		t.Errorf("a page of another space by its title: %v", err)
	}
	if _, err = left.Get(ctx, app.GetRequest{Ref: "Right"}); kb.CodeOf(err) != kb.NotFound || !strings.Contains(kb.AsError(err).Hint, "right:right") {
		t.Errorf("read from another space than was asked for: %v", err)
	}
	standing := a.For(app.Caller{Dir: filepath.Join(b.Home, "left")})
	if got := apptest.OK(standing.Get(ctx, app.GetRequest{Ref: "Right"}))(t); got.Space != "right" {
		t.Errorf("read from %s", got.Space)
	}
	for _, ref := range []string{"right:new", string(apptest.OK(left.Get(ctx, app.GetRequest{Ref: "right:right"}))(t).ID)} {
		apptest.OK(left.Delete(ctx, app.DeleteRequest{Ref: ref}))(t)
	}
}
