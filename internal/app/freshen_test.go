package app_test

import (
	"context"
	"os"
	"strings"
	"testing"

	"github.com/cairn-kb/cairn/internal/app"
	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/kb"
)

// A file that no sync has seen is a page for whoever names it.
func TestAPageNoSyncHasSeen(t *testing.T) {
	b, ctx := newBed(t), context.Background()
	root := b.dir("notes", map[string]string{"first.md": "# First\n"})
	a := b.open()
	ok[app.Space](t)(a.SpaceAdd(ctx, app.SpaceAdd{Root: root}))
	if got := ok[app.Text](t)(a.Get(ctx, app.GetRequest{Ref: "first"})); got.Text != "# First\n" {
		t.Errorf("read %q", got.Text)
	}
	b.dir("notes", map[string]string{"second.md": "# Second\n", "third.md": "links to [[second]]\n"})
	ok[app.Written](t)(a.Edit(ctx, app.EditRequest{Ref: "notes:second", Edits: []doc.Edit{doc.Append{Text: "more\n"}}}))
	if l := ok[app.List[app.Link]](t)(a.Backlinks(ctx, "second")); l.Total != 1 {
		t.Errorf("%d links lead to it", l.Total)
	}
	for _, ref := range []string{"fourth", "elsewhere:fourth", "notes:fourth"} {
		if _, err := a.Get(ctx, app.GetRequest{Ref: ref}); kb.CodeOf(err) != kb.NotFound {
			t.Errorf("%s: %v", ref, err)
		}
	}
}

func TestFreshen(t *testing.T) {
	b, ctx := newBed(t), context.Background()
	one := b.dir("one", map[string]string{"a.md": "# A\n"})
	two := b.dir("two", map[string]string{"b.md": "# B\n"})
	a := b.open()
	if notes := ok[[]string](t)(a.Freshen(ctx, app.FreshenRequest{})); len(notes) > 0 {
		t.Errorf("without spaces: %q", notes)
	}
	ok[app.Space](t)(a.SpaceAdd(ctx, app.SpaceAdd{Root: one}))
	ok[app.Space](t)(a.SpaceAdd(ctx, app.SpaceAdd{Root: two}))
	pages := func(want int) {
		t.Helper()
		if l := ok[app.List[app.Page]](t)(a.Pages(ctx, app.ListRequest{All: true})); l.Total != want {
			t.Errorf("there are %d pages, want %d", l.Total, want)
		}
	}
	pages(0)
	ok[[]string](t)(a.In("two").Freshen(ctx, app.FreshenRequest{New: true}))
	pages(1)
	b.dir("two", map[string]string{"c.md": "# C\n"})
	ok[[]string](t)(a.Freshen(ctx, app.FreshenRequest{New: true}))
	pages(2) // that of one: two was synced before
	ok[[]string](t)(a.In("one").Freshen(ctx, app.FreshenRequest{All: true}))
	pages(3)

	if err := os.Rename(two, two+".away"); err != nil {
		t.Fatal(err)
	}
	b.dir("one", map[string]string{"d.md": "# D\n"})
	notes := ok[[]string](t)(a.Freshen(ctx, app.FreshenRequest{All: true}))
	if len(notes) != 1 || !strings.Contains(notes[0], "two was not looked through for changes") {
		t.Errorf("the notes are %q", notes)
	}
	pages(4)
}
