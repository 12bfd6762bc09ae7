package ref_test

import (
	"testing"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory/read"
	"github.com/cairn-kb/cairn/internal/memory/retrieve"
	"github.com/cairn-kb/cairn/internal/test/apptest"
)

// A page within an Org file is named by its ref as every answer gives it, and
// by other ways to name the file.
func TestRefOfAPageWithinAFile(t *testing.T) {
	t.Parallel()
	const id = "9d1c4d6e-95f0-4e0f-8a5e-6f6e2f5b8a12"
	s := newBed(t)
	s.put("deep/river.org", "Text.\n\n* The ferry\n:PROPERTIES:\n:ID: "+id+"\n:END:\nIt crosses.\n")
	s.put("c#.md", "A language.\n")
	list := apptest.OK(retrieve.Pages(s.ctx, s.me, retrieve.ListRequest{}))(t)
	for _, p := range list.Items {
		if got := apptest.OK(read.Get(s.ctx, s.me, read.GetRequest{Ref: p.Ref}))(t); got.Page.ID != p.ID {
			t.Errorf("%s is the ref of %s and means %s", p.Ref, p.ID, got.Page.ID)
		}
	}
	if len(list.Items) != 3 {
		t.Fatalf("%d pages", len(list.Items))
	}
	for _, ref := range []string{"deep/river#" + id, "deep/river.org#" + id, "river#" + id, "m:river#9D1C4D6E-95F0-4E0F-8A5E-6F6E2F5B8A12", "memory://pages/deep/river%23" + id} {
		if got := apptest.OK(read.Get(s.ctx, s.me, read.GetRequest{Ref: ref}))(t); got.Page.Title != "The ferry" {
			t.Errorf("%s means %q", ref, got.Page.Title)
		}
	}
	for _, ref := range []string{"deep/river#The ferry", "#" + id, "other#" + id} {
		if _, err := read.Get(s.ctx, s.me, read.GetRequest{Ref: ref}); kb.CodeOf(err) != kb.NotFound {
			t.Errorf("%s: %v", ref, err)
		}
	}
}
