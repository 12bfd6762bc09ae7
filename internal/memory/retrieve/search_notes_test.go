package retrieve_test

import (
	"context"
	"slices"
	"testing"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/memory/read"
	"github.com/cairn-kb/cairn/internal/memory/retrieve"
	"github.com/cairn-kb/cairn/internal/memory/space"
	"github.com/cairn-kb/cairn/internal/test/apptest"
	"github.com/cairn-kb/cairn/internal/upkeep/gitsync"
)

// An answer without hits says so, and equal pages have equal scores.
func TestNothingFoundIsNoted(t *testing.T) {
	t.Parallel()
	b := apptest.New(t)
	root := b.Dir("notes", map[string]string{
		"a.md": "---\ntitle: One\n---\n\nAnn spoke about a trip.\n",
		"b.md": "---\ntitle: Two\n---\n\nAnn spoke about a trip.\n",
		"c.md": "---\ntitle: Six\n---\n\nAnn spoke about a trip, at length.\n",
	})
	a, ctx := b.Open(), context.Background()
	apptest.OK(gitsync.AddSpace(ctx, a, space.AddRequest{Root: root}))(t)
	apptest.OK(gitsync.Sync(ctx, a, gitsync.SyncRequest{}))(t)
	const note = "no page has any of these words"
	for _, c := range []struct {
		query string
		mode  api.Mode
		noted bool
	}{
		{"zeppelin", api.ModeWords, true}, {"zeppelin", api.ModeHybrid, true}, {"咖啡的水温", api.ModeWords, true},
		{"trip", api.ModeWords, false}, {"zeppelin trip", api.ModeWords, false}, {"type:none", api.ModeWords, false},
	} {
		got := apptest.OK(read.Search(ctx, a, retrieve.SearchRequest{Query: c.query, Mode: c.mode}))(t)
		if slices.Contains(got.Notes, note) != c.noted {
			t.Errorf("%s %s: %q", c.mode, c.query, got.Notes)
		}
	}
	got := apptest.OK(read.Search(ctx, a, retrieve.SearchRequest{Query: "trip of Ann", Mode: api.ModeHybrid}))(t)
	if len(got.Items) != 3 || got.Items[0].Score != got.Items[1].Score || got.Items[2].Score < 0.4*got.Items[0].Score {
		t.Errorf("three pages that are nearly equal: %+v", got.Items)
	}
}
