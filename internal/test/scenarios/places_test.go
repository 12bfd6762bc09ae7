package scenarios_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/read"
	"github.com/cairn-kb/cairn/internal/memory/space"
	"github.com/cairn-kb/cairn/internal/test/apptest"
	"github.com/cairn-kb/cairn/internal/upkeep/gitsync"
)

// checkouts are directories below the home directory that bring the same space
// id. Their notes differ in what they say, not in their names.
func checkouts(b *apptest.Bed, names ...string) (roots []string) {
	for _, name := range names {
		roots = append(roots, b.Dir(name, map[string]string{
			".cairn/space.toml": "id = \"7d5a1f4e-7a2b-4a63-9a3e-0f6f1c2b3a4d\"\nname = \"notes\"\npreset = \"notes\"\n",
			"plan.md":           "# The plan\nOf " + name + ", see [[log]].\n",
			"log.md":            "# Log\n",
		}))
	}
	return roots
}

// TestPlacesAreApart: pages without a written id differ between the places of a
// space id, also after a rebuild that adds them in the same order.
func TestPlacesAreApart(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	b := apptest.New(t)
	roots := checkouts(b, "main", "wt", "copies/main")
	build := func() string {
		a := b.Open()
		for _, root := range roots {
			apptest.OK(gitsync.AddSpace(ctx, a, space.AddRequest{Root: root}))(t)
		}
		apptest.OK(gitsync.Sync(ctx, a, gitsync.SyncRequest{Space: "*"}))(t)
		names := []string{}
		ids := map[kb.ID]bool{}
		for _, s := range apptest.OK(a.Spaces.List(ctx))(t) {
			names = append(names, s.Name)
			ids[s.ID] = true
		}
		if want := []string{"notes", "notes@copies", "notes@wt"}; !slices.Equal(names, want) || len(ids) != 3 {
			t.Errorf("spaces %v with %d ids", names, len(ids))
		}
		out := dump(t, a)
		if err := a.Close(); err != nil {
			t.Fatal(err)
		}
		return out
	}
	first := build()
	pages := map[string]bool{}
	for line := range strings.Lines(first) {
		_, rest, _ := strings.Cut(line, `"id":"`)
		id, _, _ := strings.Cut(rest, `"`)
		pages[id] = true
	}
	if len(pages) != 6 {
		t.Errorf("%d ids of 6 pages", len(pages))
	}
	if err := os.Remove(b.Database()); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(first, build()); diff != "" {
		t.Error(diff)
	}
}

// TestPlacesAddedAtOnce has several callers point at copies of one directory in
// the same instant: each is attached, and nobody is told to try again.
func TestPlacesAddedAtOnce(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	b := apptest.New(t)
	var names []string
	for n := range 8 {
		names = append(names, fmt.Sprintf("c%d", n))
	}
	roots := checkouts(b, names...)
	apps := []*memory.Session{b.Open(), b.Open()}
	var wait sync.WaitGroup
	for i, root := range slices.Concat(roots, roots) {
		wait.Add(1)
		go func() {
			defer wait.Done()
			if _, err := apps[i%2].Spaces.Attach(ctx, root); err != nil {
				t.Errorf("%s: %v", root, err)
			}
		}()
	}
	wait.Wait()
	all := apptest.OK(apps[0].Spaces.List(ctx))(t)
	if len(all) != len(roots) {
		t.Fatalf("%d spaces of %d directories", len(all), len(roots))
	}
	if got := apptest.OK(apps[1].Spaces.Show(ctx, "notes"))(t); len(got.Places) != len(roots) || got.Places[0].Space != "notes" {
		t.Errorf("places %v", got.Places)
	}
}

// TestMovedDirectoryKeepsItsSpace: a directory that is found elsewhere is the
// same space, and one beside a deleted checkout is not.
func TestMovedDirectoryKeepsItsSpace(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	b := apptest.New(t)
	roots := checkouts(b, "main", "wt")
	a := b.Open()
	for _, root := range roots {
		apptest.OK(gitsync.AddSpace(ctx, a, space.AddRequest{Root: root}))(t)
	}
	apptest.OK(gitsync.Sync(ctx, a, gitsync.SyncRequest{Space: "*"}))(t)
	before := dump(t, a)
	move := func(from, to string) string {
		t.Helper()
		to = filepath.Join(b.Home, to)
		if err := os.Rename(from, to); err != nil {
			t.Fatal(err)
		}
		return to
	}
	moved := move(roots[1], "branch")
	here := a.For(memory.Caller{Dir: moved})
	notes := apptest.OK(read.Freshen(ctx, here, read.FreshenRequest{}))(t)
	want := fmt.Sprintf("notes@wt was in %s and is in %s now", roots[1], moved)
	if !slices.Equal(notes, []string{want}) {
		t.Errorf("notes %q, want %q", notes, want)
	}
	if got := apptest.OK(here.Spaces.CurrentName(ctx))(t); got != "notes@wt" {
		t.Errorf("the space is %s", got)
	}
	// What is open is the directory that was moved, for whoever asks.
	apptest.OK(gitsync.Sync(ctx, a, gitsync.SyncRequest{Space: "*"}))(t)
	if diff := cmp.Diff(before, dump(t, a)); diff != "" {
		t.Error(diff)
	}

	// A link that was left behind changes nothing.
	trunk := move(roots[0], "trunk")
	if err := os.Symlink(trunk, roots[0]); err != nil {
		t.Skip(err)
	}
	s := apptest.OK(a.Spaces.Attach(ctx, roots[0]))(t)
	if s.Name != "notes" || s.Root != trunk || len(s.Notes) != 1 {
		t.Errorf("the link leads to %+v", s)
	}
	if diff := cmp.Diff(before, dump(t, a)); diff != "" {
		t.Error(diff)
	}
}
