package links_test

import (
	"strings"
	"testing"
	"time"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/memory/change"
	"github.com/cairn-kb/cairn/internal/memory/links"
	"github.com/cairn-kb/cairn/internal/memory/read"
	"github.com/cairn-kb/cairn/internal/store"
	"github.com/cairn-kb/cairn/internal/test/apptest"
	"github.com/cairn-kb/cairn/internal/test/slowtest"
)

// A relation is ended wherever its line is by then: whoever writes lines above it while it
// is looked for.
func TestCloseBesideOthers(t *testing.T) {
	t.Parallel()
	slowtest.NoRace(t, "one thing after the other, many times")
	wrote, step := 0, slowtest.Step(3)
	for at, done := 1, false; !done; at += step {
		a := apptest.New(t).Open()
		apptest.OK(change.Put(t.Context(), a, change.PutRequest{Ref: "acme", Text: []byte("# Acme\n")}))(t)
		apptest.OK(change.Put(t.Context(), a, change.PutRequest{Ref: "ada", Text: []byte("# Ada\n\n## Notes\n\n## Relations\n\n- works_at [[acme]] @2020..\n")}))(t)
		number := apptest.OK(links.List(t.Context(), a, api.LinksRequest{Ref: "ada"}))(t).Items[0].ID
		var failed error
		ctx := apptest.NewMeanwhile(t.Context(), at, func() {
			_, failed = change.EditPage(store.WithPatience(t.Context(), time.Millisecond), a, change.EditRequest{Ref: "ada", Edits: []doc.Edit{doc.Append{Section: "Notes", Text: "A line above."}}})
		})
		req := api.LinkRequest{From: "ada", Type: "works_at", To: "acme", Until: "2021"}
		if at%2 == 0 {
			req = api.LinkRequest{ID: number, Until: "2021"}
		}
		apptest.OK(links.Close(ctx, a, req))(t)
		done = !ctx.Came()
		text := apptest.OK(read.Get(t.Context(), a, read.GetRequest{Ref: "ada"}))(t).Text
		if !strings.Contains(text, "@2020..2021") {
			t.Errorf("at %d: %s", at, text)
		}
		if !done && failed == nil {
			wrote++
			if !strings.Contains(text, "A line above.") {
				t.Errorf("at %d: %s", at, text)
			}
		}
	}
	if step == 1 && wrote == 0 {
		t.Error("nobody wrote meanwhile")
	}
}
