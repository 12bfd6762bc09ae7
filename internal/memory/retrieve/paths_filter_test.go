package retrieve_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/cairn-kb/cairn/internal/memory/change"
	"github.com/cairn-kb/cairn/internal/memory/read"
	"github.com/cairn-kb/cairn/internal/memory/retrieve"
	"github.com/cairn-kb/cairn/internal/memory/space"
	"github.com/cairn-kb/cairn/internal/test/apptest"
	"github.com/cairn-kb/cairn/internal/upkeep/gitsync"
)

// A path is a document or a directory, not the beginning of a name.
func TestPathFilter(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	b := apptest.New(t)
	a := b.Open()
	files := map[string]string{}
	for _, f := range []string{"sub/undo-me.md", "sub/deep/er.md", "subway.md", "odd} \\dir/x.md", "odd} \\directory.md"} {
		files[f] = "A word.\n"
	}
	apptest.OK(gitsync.AddSpace(ctx, a, space.AddRequest{Root: b.Dir("notes", files)}))(t)
	apptest.OK(gitsync.Sync(ctx, a, gitsync.SyncRequest{Space: "notes"}))(t)
	everything := len(files)
	for path, want := range map[string]string{
		"sub": "sub/deep/er sub/undo-me", "sub/": "sub/deep/er sub/undo-me", "/sub": "sub/deep/er sub/undo-me", "./sub/./deep": "sub/deep/er",
		"sub/undo-me.md": "sub/undo-me", "sub/undo": "", "subway.md": "subway", "su": "", "sub*": "subway", "sub*/**": "sub/deep/er sub/undo-me subway",
		"odd} \\dir": "odd} \\dir/x", "**/*e*.md": "odd} \\directory sub/deep/er sub/undo-me",
	} {
		listed := apptest.OK(retrieve.Pages(ctx, a, retrieve.ListRequest{Within: retrieve.Within{Paths: []string{path}}}))(t)
		found := apptest.OK(read.Search(ctx, a, retrieve.SearchRequest{Query: "word", Narrow: retrieve.Narrow{Paths: []string{path}}, Limit: 10}))(t)
		var slugs, hits []string
		for _, p := range listed.Items {
			slugs = append(slugs, p.Slug)
		}
		for _, h := range found.Items {
			hits = append(hits, h.Slug)
		}
		slices.Sort(hits)
		if got := strings.Join(slugs, " "); got != want {
			t.Errorf("%q lists %q, want %q", path, got, want)
		}
		if got := strings.Join(hits, " "); got != want {
			t.Errorf("%q searches %q, want %q", path, got, want)
		}
	}
	for _, path := range []string{"/", ".", "**"} {
		if got := apptest.OK(retrieve.Pages(ctx, a, retrieve.ListRequest{Within: retrieve.Within{Paths: []string{path}}}))(t).Total; got != everything {
			t.Errorf("%q lists %d pages, want %d", path, got, everything)
		}
	}
}

// An accent is the same in both of its spellings, and what is no pattern is a
// path.
func TestPathsInAnySpelling(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	b := apptest.New(t)
	a := b.Open()
	composed, decomposed := "Caf\u00e9", "Cafe\u0301"
	apptest.OK(gitsync.AddSpace(ctx, a, space.AddRequest{Root: b.Dir("notes", map[string]string{
		composed + "/one.md": "A word.\n", decomposed + " 2/two.md": "A word.\n", "[/x.md": "A word.\n", "Cafe/no.md": "A word.\n",
	})}))(t)

	apptest.OK(gitsync.Sync(ctx, a, gitsync.SyncRequest{Space: "notes"}))(t)
	for path, want := range map[string]int{
		composed: 1, decomposed: 1, composed + " 2": 1, decomposed + " 2": 1, composed + "*/*": 2, decomposed + "*/**": 2,
		composed + "/one.md": 1, decomposed + "/one.md": 1, "[": 1, "{": 0, "[/x.md": 1, "Caf?/*": 2,
	} {
		r := apptest.OK(read.Search(ctx, a, retrieve.SearchRequest{Query: `word path:"` + path + `"`}))(t)
		if r.Total != want {
			t.Errorf("path:%q finds %d pages, want %d", path, r.Total, want)
		}
		if got := apptest.OK(retrieve.Pages(ctx, a, retrieve.ListRequest{Within: retrieve.Within{Paths: []string{path}}}))(t).Total; got != want {
			t.Errorf("--path %q lists %d pages, want %d", path, got, want)
		}
	}
	for _, dir := range []string{composed, decomposed, composed + " 2", decomposed + " 2"} {
		r := apptest.OK(read.Dir(ctx, a, read.DirRequest{Path: dir}))(t)
		if len(r.Items) != 1 || r.Items[0].Page == nil || !strings.HasSuffix(r.Items[0].Name, ".md") || strings.Contains(r.Items[0].Name, "/") {
			t.Errorf("ls %q: %+v", dir, r.Items)
		}
	}
	// So it is in the category of an observation.
	apptest.OK(change.Put(ctx, a, change.PutRequest{Ref: "fact.md", Text: []byte("- [" + decomposed + "] a thing\n")}))(t)
	for _, name := range []string{composed, decomposed} {
		for text, want := range map[string]int{"category:" + name: 1, "thing item:observation category:" + name: 1, "thing item:observation -category:" + name: 0} {
			if r := apptest.OK(read.Search(ctx, a, retrieve.SearchRequest{Query: text}))(t); r.Total != want {
				t.Errorf("%q finds %d, want %d", text, r.Total, want)
			}
		}
	}
}
