package app_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/cairn-kb/cairn/internal/app"
	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/store"
	"github.com/cairn-kb/cairn/internal/test/apptest"
	"github.com/cairn-kb/cairn/internal/test/slowtest"
)

// A relation is ended wherever its line is by then: whoever writes lines above it while it
// is looked for.
func TestCloseBesideOthers(t *testing.T) {
	t.Parallel()
	wrote := 0
	for at, done, step := 1, false, slowtest.Step(3); !done; at += step {
		a := apptest.New(t).Open()
		apptest.OK(a.Put(t.Context(), app.PutRequest{Ref: "acme", Text: []byte("# Acme\n")}))(t)
		apptest.OK(a.Put(t.Context(), app.PutRequest{Ref: "ada", Text: []byte("# Ada\n\n## Notes\n\n## Relations\n\n- works_at [[acme]] @2020..\n")}))(t)
		number := apptest.OK(a.Links().From(t.Context(), app.LinksRequest{Ref: "ada"}))(t).Items[0].ID
		var failed error
		ctx := apptest.NewMeanwhile(t.Context(), at, func() {
			short, stop := context.WithTimeout(t.Context(), 20*time.Millisecond) // somebody may be writing
			defer stop()
			_, failed = a.Edit(store.WithPatience(short, time.Millisecond), app.EditRequest{Ref: "ada", Edits: []doc.Edit{doc.Append{Section: "Notes", Text: "A line above."}}})
		})
		req := app.LinkRequest{From: "ada", Type: "works_at", To: "acme", Until: "2021"}
		if at%2 == 0 {
			req = app.LinkRequest{ID: number, Until: "2021"}
		}
		apptest.OK(a.Links().Close(ctx, req))(t)
		done = !ctx.Came()
		text := apptest.OK(a.Get(t.Context(), app.GetRequest{Ref: "ada"}))(t).Text
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
	if wrote == 0 {
		t.Error("nobody wrote meanwhile")
	}
}
