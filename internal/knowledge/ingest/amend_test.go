package ingest_test

import (
	"strings"
	"testing"
	"time"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/knowledge/ingest"
	"github.com/cairn-kb/cairn/internal/memory/change"
	"github.com/cairn-kb/cairn/internal/memory/links"
	"github.com/cairn-kb/cairn/internal/memory/read"
	"github.com/cairn-kb/cairn/internal/store"
	"github.com/cairn-kb/cairn/internal/test/apptest"
	"github.com/cairn-kb/cairn/internal/test/slowtest"
)

// A relation that somebody adds while the text of its page is replaced stays, at whatever
// moment.
func TestUpdateKeepsRelationsOfOthers(t *testing.T) {
	t.Parallel()
	added, step := 0, slowtest.Step(5)
	for at, done := 1, false; !done; at += step {
		a := apptest.New(t).Open()
		for _, ref := range []string{"ada", "acme"} {
			apptest.OK(change.Put(t.Context(), a, change.PutRequest{Ref: ref, Text: []byte("A page of " + ref + ".\n")}))(t)
		}
		var failed error
		ctx := apptest.NewMeanwhile(t.Context(), at, func() {
			_, failed = links.Add(store.WithPatience(t.Context(), time.Millisecond), a, api.LinkRequest{From: "ada", Type: "works_at", To: "acme"})
		})
		apptest.OK(ingest.Capture(ctx, a, api.CaptureRequest{Text: "Another text.", Update: "ada"}))(t)
		done = !ctx.Came()
		text := apptest.OK(read.Get(t.Context(), a, read.GetRequest{Ref: "ada"}))(t).Text
		if !strings.Contains(text, "Another text.") {
			t.Errorf("at %d: %q", at, text)
		}
		if !done && failed == nil {
			added++
			if !strings.Contains(text, "works_at") {
				t.Errorf("at %d the relation is lost: %q", at, text)
			}
		}
	}
	if step == 1 && added == 0 {
		t.Error("no relation was added")
	}
}
