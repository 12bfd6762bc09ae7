package retrieve_test

import (
	"fmt"
	"testing"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/memory/read"
	"github.com/cairn-kb/cairn/internal/memory/retrieve"
	"github.com/cairn-kb/cairn/internal/memory/space"
	"github.com/cairn-kb/cairn/internal/test/apptest"
	"github.com/cairn-kb/cairn/internal/upkeep/gitsync"
)

// An answer with one side of a contradiction has the other, also if the question did not
// find it; a search for words has not.
func TestBothSidesAreServed(t *testing.T) {
	t.Parallel()
	b, ctx := apptest.New(t), t.Context()
	files := map[string]string{
		"people/ada.md":     "---\ntype: person\n---\n# Ada Quill\n\nAda likes kayaks.\n\n- ceo_of [[Acme]]\n",
		"people/bo.md":      "---\ntype: person\n---\n# Bo Frey\n\nBo bakes bread.\n\n- ceo_of [[Acme]]\n",
		"companies/acme.md": "---\ntype: company\n---\n# Acme\n\nThey make anvils.\n",
	}
	for i := range 6 {
		files[fmt.Sprintf("n%d.md", i)] = fmt.Sprintf("# Note %d\n\nKayaks are boats number %d for rivers.\n", i, i)
	}
	root := b.Dir("notes", files)
	a := b.Open()
	apptest.OK(gitsync.AddSpace(ctx, a, space.AddRequest{Root: root, Name: "notes", Preset: "memory"}))(t)
	a = a.In("notes")
	apptest.OK(gitsync.Sync(ctx, a, gitsync.SyncRequest{}))(t)
	const question = "does Ada like kayaks?"
	r := apptest.OK(read.Query(ctx, a, retrieve.QueryRequest{SearchRequest: retrieve.SearchRequest{Query: question, Limit: 3}}))(t)
	if len(r.Items) != 3 || r.Items[0].Slug != "people/ada" || r.Items[1].Slug != "people/bo" || !r.Items[1].Contested || r.Items[1].Text == "" {
		for _, h := range r.Items {
			t.Errorf("%s %v %q", h.Slug, h.Contested, h.Text)
		}
	}
	for _, h := range apptest.OK(read.Search(ctx, a, retrieve.SearchRequest{Query: question, Mode: api.ModeWords}))(t).Items {
		if h.Slug == "people/bo" {
			t.Error("a search for words has the other side")
		}
	}
}

// A page that follows because it replaces another one, and one because it contradicts
// another, are counted once each.
func TestFollowersAreCountedOnce(t *testing.T) {
	t.Parallel()
	b, ctx := apptest.New(t), t.Context()
	root := b.Dir("notes", map[string]string{
		"people/ada.md":     "---\ntype: person\n---\n# Ada Quill\n\nAda likes kayaks.\n\n- ceo_of [[Acme]]\n",
		"people/bo.md":      "---\ntype: person\n---\n# Bo Frey\n\nBo bakes bread.\n\n- ceo_of [[Acme]]\n",
		"companies/acme.md": "---\ntype: company\n---\n# Acme\n\nThey make anvils.\n",
		"old.md":            "# Old\n\nAda likes kayaks that are old.\n",
		"new.md":            "# New\n\nSomething else.\n\n- supersedes [[Old]]\n",
	})
	a := b.Open()
	apptest.OK(gitsync.AddSpace(ctx, a, space.AddRequest{Root: root, Name: "notes", Preset: "memory"}))(t)
	a = a.In("notes")
	apptest.OK(gitsync.Sync(ctx, a, gitsync.SyncRequest{}))(t)
	r := apptest.OK(read.Search(ctx, a, retrieve.SearchRequest{Query: "kayaks", Mode: api.ModeHybrid, Limit: 10}))(t)
	if len(r.Items) != 4 || r.Total != len(r.Items) || r.Next != "" {
		for _, h := range r.Items {
			t.Log(h.Slug)
		}
		t.Errorf("%d items, total %d, next %q", len(r.Items), r.Total, r.Next)
	}
}
