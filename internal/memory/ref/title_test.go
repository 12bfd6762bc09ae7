package ref_test

import (
	"testing"

	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory/change"
	"github.com/cairn-kb/cairn/internal/memory/read"
	"github.com/cairn-kb/cairn/internal/test/apptest"
)

// Two pages of one title are not mistaken for a third whose slug is made from
// it, neither to read nor to change.
func TestTitleBeforeTheSlugMadeFromIt(t *testing.T) {
	t.Parallel()
	s := newBed(t)
	for ref, title := range map[string]string{"t/one": "Twin title", "t/two": "Twin title", "twin-title": "Something else"} {
		s.put(ref, "---\ntitle: "+title+"\n---\nText.\n")
	}
	_, err := read.Get(s.ctx, s.me, read.GetRequest{Ref: "Twin title"})
	if kb.CodeOf(err) != kb.Ambiguous {
		t.Errorf("read: %v", err)
	}
	_, err = change.EditPage(s.ctx, s.me, change.EditRequest{Ref: "Twin title", Edits: []doc.Edit{doc.SetProperty{Key: "type", Value: "idea"}}})
	if kb.CodeOf(err) != kb.Ambiguous {
		t.Errorf("edit: %v", err)
	}
	if got := apptest.OK(read.Get(s.ctx, s.me, read.GetRequest{Ref: "twin-title"}))(t); got.Page.Title != "Something else" {
		t.Errorf("the slug means %q", got.Page.Title)
	}
}
