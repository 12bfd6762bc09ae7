package retrieve_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/cairn-kb/cairn/internal/api"
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

// Of pages that were counted since the last commit, none is read from the database again. A
// change of a page is counted.
func TestFacetsOfKnownPages(t *testing.T) {
	// Serial: counts allocations.
	const pages = 300
	b := apptest.New(t)
	files := map[string]string{}
	for i := range pages {
		files[fmt.Sprintf("p%d.md", i)] = fmt.Sprintf("---\ntags: [t%d]\n---\n# Page %d\n\nOf moss.\n", i%2, i)
	}
	root := b.Dir("notes", files)
	a, ctx := b.Open(), context.Background()
	apptest.OK(gitsync.AddSpace(ctx, a, space.AddRequest{Root: root}))(t)
	ask := func(sync bool) api.Facets {
		return apptest.OK(read.Facets(ctx, a, retrieve.SearchRequest{Query: "moss", Sync: sync}))(t)
	}
	tags := func(want ...api.Count) {
		t.Helper()
		if got := ask(true).Tag; len(got) != 2 || got[0] != want[0] || got[1] != want[1] {
			t.Errorf("the tags are %v, want %v", got, want)
		}
	}
	tags(api.Count{Value: "t0", Count: 150}, api.Count{Value: "t1", Count: 150})
	if n := testing.AllocsPerRun(3, func() { ask(false) }); n > 10*pages {
		t.Errorf("%g allocations to count %d pages again", n, pages)
	}
	apptest.OK(change.Put(ctx, a, change.PutRequest{Ref: "p0", Overwrite: true, Text: []byte("---\ntags: [t1]\n---\n# Page 0\n\nOf moss.\n")}))(t)
	tags(api.Count{Value: "t1", Count: 151}, api.Count{Value: "t0", Count: 149})
}
