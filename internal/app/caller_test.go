package app_test

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/cairn-kb/cairn/internal/app"
	"github.com/cairn-kb/cairn/internal/kb"
)

// Two agents of one server work in their own directories under their own
// names, and what one of them attaches is not the other's space.
func TestCallersHaveTheirOwnSpaceAndName(t *testing.T) {
	ctx := context.Background()
	b := newBed(t)
	left, right := b.dir("left", map[string]string{"l.md": "left"}), b.dir("right", map[string]string{"r.md": "right"})
	a := b.open()
	for _, dir := range []string{left, right} {
		ok[app.Space](t)(a.SpaceAdd(ctx, app.SpaceAdd{Root: dir}))
	}
	one := a.For(app.Caller{Dir: left, Actor: kb.Actor{Kind: kb.Agent, Name: "one"}})
	two := a.For(app.Caller{Dir: filepath.Join(right, "below"), Actor: kb.Actor{Kind: kb.Agent, Name: "two"}})
	ok[app.Space](t)(one.Attach(ctx, left))
	for _, c := range []struct {
		a           *app.App
		space, name string
	}{{one, "left", "agent:one"}, {two, "right", "agent:two"}} {
		if s := ok[app.Space](t)(c.a.Current(ctx)); s.Name != c.space {
			t.Errorf("%s works in %s, want %s", c.name, s.Name, c.space)
		}
		w := ok[app.Written](t)(c.a.Put(ctx, app.PutRequest{Ref: "new", Text: []byte("by " + c.name)}))
		if got := w.Pages[0].Space; got != c.space {
			t.Errorf("%s wrote into %s, want %s", c.name, got, c.space)
		}
		h := ok[app.List[app.Version]](t)(a.History(ctx, app.HistoryRequest{Ref: c.space + ":new"}))
		if got := h.Items[0].Actor; got != c.name {
			t.Errorf("the history names %s, want %s", got, c.name)
		}
	}
}
