package scenarios_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/files/fsys"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory/read"
	"github.com/cairn-kb/cairn/internal/memory/space"
	"github.com/cairn-kb/cairn/internal/test/apptest"
	"github.com/cairn-kb/cairn/internal/upkeep/gitsync"
)

// A directory with many others lists those that it shows, and none below.
func TestADirectoryListsItselfAlone(t *testing.T) {
	t.Parallel()
	b, ctx := apptest.New(t), t.Context()
	var opened []*fsys.Fault
	b.Opts.WrapFiles = func(d *fsys.Dir) fsys.FS {
		opened = append(opened, fsys.NewFault(d))
		return opened[len(opened)-1]
	}
	lists := func() (dirs []string) {
		for _, f := range opened {
			for _, c := range f.Calls() {
				if c.Op == "readdir" && c.Name != ".cairn" { // that is the same in any listing of the root
					dirs = append(dirs, c.Name)
				}
			}
		}
		return dirs
	}
	tree := map[string]string{"a.md": "# A\n", "photo.png": "png", "both/b.md": "# B\n", "both/b.png": "png", "both/empty/.keep": ""}
	for i := range 50 {
		tree[fmt.Sprintf("d%02d/in/one.png", i)] = "png"
	}
	a := b.Open()
	apptest.OK(gitsync.AddSpace(ctx, a, space.AddRequest{Root: b.Dir("garden", tree), Name: "garden"}))(t)
	apptest.OK(gitsync.Sync(ctx, a, gitsync.SyncRequest{}))(t)
	look := func(dir string, depth, limit, want int) (total int, shown string) {
		t.Helper()
		before := len(lists())
		out := apptest.OK(read.Dir(ctx, a, read.DirRequest{Path: dir, Depth: depth, Limit: limit, Files: true}))(t)
		if n := len(lists()) - before; n != want {
			t.Errorf("%q, %d levels: %d directories were listed, want %d", dir, depth, n, want)
		}
		for _, d := range out.Items {
			switch {
			case d.File:
				shown += fmt.Sprintf(" %s %d bytes", d.Path, d.Bytes)
			case d.Page != nil:
				shown += " " + d.Path
			default:
				shown += fmt.Sprintf(" %s %d pages", d.Path, *d.Pages)
			}
		}
		return out.Total, strings.TrimSpace(shown)
	}
	for _, c := range []struct {
		dir          string
		depth, limit int
		lists, total int
		shown        string
	}{
		{"", 1, 3, 1, 53, "both 1 pages d00 0 pages d01 0 pages"},
		{"", 2, 5, 52, 106, "both 1 pages both/empty 0 pages both/b.md both/b.png 3 bytes d00 0 pages"},
		{"both", 1, 0, 1, 3, "both/empty 0 pages both/b.md both/b.png 3 bytes"},
		{"d07", 2, 0, 2, 2, "d07/in 0 pages d07/in/one.png 3 bytes"},
		{"both/empty", 1, 0, 1, 0, ""},
	} {
		if total, shown := look(c.dir, c.depth, c.limit, c.lists); total != c.total || shown != c.shown {
			t.Errorf("%q, %d levels: %d entries: %s; want %d: %s", c.dir, c.depth, total, shown, c.total, c.shown)
		}
	}
	for _, dir := range []string{"none", "photo.png", ".git"} {
		if _, err := read.Dir(ctx, a, read.DirRequest{Path: dir, Files: true}); kb.CodeOf(err) != kb.NotFound {
			t.Errorf("ls %s: %v", dir, err)
		}
	}
	all := apptest.OK(read.Dir(ctx, a, read.DirRequest{Files: true}))(t)
	if !slices.IsSortedFunc(all.Items[:51], func(a, b api.Dir) int { return strings.Compare(a.Path, b.Path) }) {
		t.Errorf("directories are in another order than that of their names: %+v", all.Items)
	}
}
