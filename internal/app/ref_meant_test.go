package app_test

import (
	"testing"

	"github.com/cairn-kb/cairn/internal/app"
	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/test/apptest"
)

// Two pages of one title are not mistaken for a third whose slug is made from
// it, neither to read nor to change.
func TestTitleBeforeTheSlugMadeFromIt(t *testing.T) {
	t.Parallel()
	s := newShared(t)
	for ref, title := range map[string]string{"t/one": "Twin title", "t/two": "Twin title", "twin-title": "Something else"} {
		s.put(s.me, ref, "---\ntitle: "+title+"\n---\nText.\n")
	}
	_, err := s.me.Get(s.ctx, app.GetRequest{Ref: "Twin title"})
	if kb.CodeOf(err) != kb.Ambiguous {
		t.Errorf("read: %v", err)
	}
	_, err = s.me.Edit(s.ctx, app.EditRequest{Ref: "Twin title", Edits: []doc.Edit{doc.SetProperty{Key: "type", Value: "idea"}}})
	if kb.CodeOf(err) != kb.Ambiguous {
		t.Errorf("edit: %v", err)
	}
	if got := apptest.OK(s.me.Get(s.ctx, app.GetRequest{Ref: "twin-title"}))(t); got.Page.Title != "Something else" {
		t.Errorf("the slug means %q", got.Page.Title)
	}
}
