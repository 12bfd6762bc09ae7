package freshness_test

import (
	"context"
	"os"
	"strings"
	"testing"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory/change"
	"github.com/cairn-kb/cairn/internal/memory/links"
	"github.com/cairn-kb/cairn/internal/memory/read"
	"github.com/cairn-kb/cairn/internal/memory/retrieve"
	"github.com/cairn-kb/cairn/internal/memory/space"
	"github.com/cairn-kb/cairn/internal/test/apptest"
	"github.com/cairn-kb/cairn/internal/upkeep/gitsync"
)

// A file that no sync has seen is a page for whoever names it.
func TestAPageNoSyncHasSeen(t *testing.T) {
	t.Parallel()
	b, ctx := apptest.New(t), context.Background()
	root := b.Dir("notes", map[string]string{"first.md": "# First\n"})
	a := b.Open()
	apptest.OK(gitsync.AddSpace(ctx, a, space.AddRequest{Root: root}))(t)
	if got := apptest.OK(read.Get(ctx, a, read.GetRequest{Ref: "first"}))(t); got.Text != "# First\n" {
		t.Errorf("read %q", got.Text)
	}
	b.Dir("notes", map[string]string{"second.md": "# Second\n", "third.md": "links to [[second]]\n"})
	apptest.OK(change.EditPage(ctx, a, change.EditRequest{Ref: "notes:second", Edits: []doc.Edit{doc.Append{Text: "more\n"}}}))(t)
	if l := apptest.OK(links.List(ctx, a, api.LinksRequest{Way: api.In, Ref: "second"}))(t); l.Total != 1 {
		t.Errorf("%d links lead to it", l.Total)
	}
	for _, ref := range []string{"fourth", "elsewhere:fourth", "notes:fourth"} {
		if _, err := read.Get(ctx, a, read.GetRequest{Ref: ref}); kb.CodeOf(err) != kb.NotFound {
			t.Errorf("%s: %v", ref, err)
		}
	}
}

func TestFreshen(t *testing.T) {
	t.Parallel()
	b, ctx := apptest.New(t), context.Background()
	one := b.Dir("one", map[string]string{"a.md": "# A\n"})
	two := b.Dir("two", map[string]string{"b.md": "# B\n"})
	a := b.Open()
	if notes := apptest.OK(read.Freshen(ctx, a, read.FreshenRequest{}))(t); len(notes) > 0 {
		t.Errorf("without spaces: %q", notes)
	}
	apptest.OK(gitsync.AddSpace(ctx, a, space.AddRequest{Root: one}))(t)
	apptest.OK(gitsync.AddSpace(ctx, a, space.AddRequest{Root: two}))(t)
	pages := func(want int) {
		t.Helper()
		if l := apptest.OK(retrieve.Pages(ctx, a, retrieve.ListRequest{Within: retrieve.Within{All: true}}))(t); l.Total != want {
			t.Errorf("there are %d pages, want %d", l.Total, want)
		}
	}
	pages(0)
	apptest.OK(read.Freshen(ctx, a.In("two"), read.FreshenRequest{New: true}))(t)
	pages(1)
	b.Dir("two", map[string]string{"c.md": "# C\n"})
	apptest.OK(read.Freshen(ctx, a, read.FreshenRequest{New: true}))(t)
	pages(2) // that of one: two was synced before
	apptest.OK(read.Freshen(ctx, a.In("one"), read.FreshenRequest{All: true}))(t)
	pages(3)

	if err := os.Rename(two, two+".away"); err != nil {
		t.Fatal(err)
	}
	b.Dir("one", map[string]string{"d.md": "# D\n"})
	notes := apptest.OK(read.Freshen(ctx, a, read.FreshenRequest{All: true}))(t)
	if len(notes) != 1 || !strings.Contains(notes[0], "two was not checked for changes") {
		t.Errorf("the notes are %q", notes)
	}
	pages(4)
}
