package retrieve_test

import (
	"context"
	"testing"

	"github.com/cairn-kb/cairn/internal/memory/change"
	"github.com/cairn-kb/cairn/internal/memory/read"
	"github.com/cairn-kb/cairn/internal/memory/retrieve"
	"github.com/cairn-kb/cairn/internal/memory/space"
	"github.com/cairn-kb/cairn/internal/store"
	"github.com/cairn-kb/cairn/internal/test/apptest"
	"github.com/cairn-kb/cairn/internal/upkeep/gitsync"
)

// Counting facets keeps the results that other requests cached since the last commit.
func TestFacetsKeepCachedResults(t *testing.T) {
	t.Parallel()
	b := apptest.New(t)
	a, ctx := b.Open(), context.Background()
	for _, name := range []string{"notes", "other"} {
		apptest.OK(gitsync.AddSpace(ctx, a, space.AddRequest{Name: name, Database: true}))(t)
		apptest.OK(change.Put(ctx, a, change.PutRequest{Ref: name + ":moss", Title: "Moss", Text: []byte("Of stones and moss.\n")}))(t)
	}
	kept := func(work func() (int, error)) {
		t.Helper()
		mark := apptest.OK(a.DB.Changed(ctx))(t)
		apptest.OK(store.Keep(a.Kept, mark, "of another request", work))(t)
	}
	kept(func() (int, error) { return 1, nil })
	counts := apptest.OK(read.Facets(ctx, a.In("notes"), retrieve.SearchRequest{Query: "moss"}))(t)
	if counts.Pages != 1 {
		t.Errorf("%d pages are counted, want 1", counts.Pages)
	}
	kept(func() (int, error) {
		t.Error("the result of another request was dropped")
		return 1, nil
	})
}
