package retrieve_test

import (
	"context"
	"slices"
	"testing"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/memory/embedding"
	"github.com/cairn-kb/cairn/internal/memory/read"
	"github.com/cairn-kb/cairn/internal/memory/retrieve"
	"github.com/cairn-kb/cairn/internal/memory/space"
	"github.com/cairn-kb/cairn/internal/search/embed/bge"
	"github.com/cairn-kb/cairn/internal/test/apptest"
	"github.com/cairn-kb/cairn/internal/upkeep/gitsync"
)

// While pages of a new memory are embedded, the first answer is the one that all of them
// give: a page that waits is not ranked as if it were far from the question, nor is the least
// near of the few that are embedded.
func TestAnswerWhilePagesWait(t *testing.T) {
	t.Parallel()
	if !bge.Available() {
		t.Skip("this build has no embedding model (tag slim)")
	}
	ctx := context.Background()
	files := map[string]string{
		"boiler.md":  "# Boiler\n\nThe boiler is serviced every October by Kessler, who has the key to the cellar.\n",
		"heating.md": "# Warm rooms\n\nThe furnace has to be serviced every autumn by an engineer.\n",
		"cellar.md":  "# Cellar\n\nThe wine is kept in the cellar, away from the boiler.\n",
		"boat.md":    "# Boat\n\nThe sails were mended in Lisbon.\n",
	}
	const question = "who has the boiler serviced every October?"
	for _, waits := range [][]string{
		{"boiler"}, {"cellar"}, {"heating"}, {"boiler", "cellar"}, {"heating", "cellar", "boat"}, {"boiler", "boat"}, {"boiler", "cellar", "boat"},
	} {
		b := apptest.New(t)
		root := b.Dir("notes", files)
		a := b.Open()
		apptest.OK(gitsync.AddSpace(ctx, a, space.AddRequest{Root: root, Name: "notes"}))(t)
		a = a.In("notes")
		apptest.OK(gitsync.Sync(ctx, a, gitsync.SyncRequest{}))(t)
		first := func() string {
			t.Helper()
			r := apptest.OK(read.Query(ctx, a, retrieve.QueryRequest{SearchRequest: retrieve.SearchRequest{Query: question, Mode: api.ModeHybrid}}))(t)
			if len(r.Items) == 0 {
				t.Fatalf("nothing is found: %+v", r)
			}
			return r.Items[0].Slug
		}
		var ready []string
		for _, slug := range []string{"boiler", "heating", "cellar", "boat"} {
			if !slices.Contains(waits, slug) {
				ready = append(ready, slug)
			}
		}
		apptest.OK(embedding.Embed(ctx, a, embedding.Request{Refs: ready}))(t)
		if got := first(); got != "boiler" {
			t.Errorf("while %v wait: %s comes first", waits, got)
		}
		apptest.OK(embedding.Embed(ctx, a, embedding.Request{}))(t)
		if got := first(); got != "boiler" {
			t.Errorf("when all are embedded: %s comes first", got)
		}
	}
}
