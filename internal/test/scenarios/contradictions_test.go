package scenarios_test

import (
	"context"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/contradiction"
	"github.com/cairn-kb/cairn/internal/memory/contradiction/contradictiontest"
	"github.com/cairn-kb/cairn/internal/memory/space"
	"github.com/cairn-kb/cairn/internal/test/apptest"
	"github.com/cairn-kb/cairn/internal/test/slowtest"
	"github.com/cairn-kb/cairn/internal/upkeep/gitsync"
)

// certain returns what is certainly wrong, by slug, and the ids.
func certain(t *testing.T, a *memory.Session) (found map[string]string, ids []string) {
	t.Helper()
	found = map[string]string{}
	l := apptest.OK(contradiction.List(context.Background(), a, contradiction.Request{All: true}))(t)
	for _, c := range l.Items {
		if c.Certain {
			_, slug, _ := strings.Cut(c.A.Ref, ":")
			if found[slug] != "" {
				t.Errorf("%s has two: %s and %s", slug, found[slug], c.Text)
			}
			found[slug] = c.Type
			ids = append(ids, c.ID)
		}
		beside := c.A.Source == "assertion" || c.B.Source == "assertion" // which has no lines of the page
		if !beside && (len(c.A.Lines) != 2 || len(c.B.Lines) != 2 || c.B.Quote == "") {
			t.Errorf("without its place: %+v", c)
		}
	}
	if l.Certain != len(ids) || l.Total != l.Certain+l.Possible {
		t.Errorf("counted %d certain and %d possible of %d; %d are certain", l.Certain, l.Possible, l.Total, len(ids))
	}
	slices.Sort(ids)
	return found, ids
}

// Every contradiction that was planted among decoys is found, and no other; the ids
// are the same in a memory that is made anew, and for pages that others changed
// around.
func TestPlantedContradictionsAreFound(t *testing.T) {
	t.Parallel()
	slowtest.NoRace(t, "one thing after the other, many times")
	ctx, b := context.Background(), apptest.New(t)
	files, want := contradictiontest.Plant(1000, 1)
	root := b.Dir("planted", files)
	a := b.Open()
	apptest.OK(gitsync.AddSpace(ctx, a, space.AddRequest{Root: root, Preset: "memory"}))(t)
	apptest.OK(gitsync.Sync(ctx, a, gitsync.SyncRequest{Full: true}))(t)
	got, ids := certain(t, a)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Fatalf("contradictions (-want +got):\n%s", diff)
	}
	if len(slices.Compact(slices.Sorted(maps.Values(want)))) != 6 {
		t.Fatal("not every type was planted")
	}
	for slug := range want {
		file := filepath.Join(root, slug+".md")
		text := apptest.OK(os.ReadFile(file))(t)
		if !strings.HasPrefix(string(text), "---") && want[slug] != "stale" {
			if err := os.WriteFile(file, append([]byte("---\ntags: [x]\n---\n\n"), text...), 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	other := apptest.New(t)
	other.Opts.Dir = b.Home
	c := other.Open()
	apptest.OK(gitsync.AddSpace(ctx, c, space.AddRequest{Root: root, Accept: true}))(t)
	apptest.OK(gitsync.Sync(ctx, c, gitsync.SyncRequest{Full: true}))(t)
	if _, again := certain(t, c); !slices.Equal(ids, again) {
		t.Error("the ids are others in a memory that was made anew")
	}
}
