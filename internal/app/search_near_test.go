package app_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cairn-kb/cairn/internal/app"
	"github.com/cairn-kb/cairn/internal/test/apptest"
)

// Pages that have words of the question close together come before pages that
// have them apart, in directories and in the database; what a filter shuts out
// and what was deleted stays away, and the other ways to search go by words as
// before. Nothing is embedded here.
func TestNear(t *testing.T) {
	t.Parallel()
	apart := "The lease is in force. It has nothing to do with this. A renewal costs."
	pages := map[string]string{
		"apart":   apart,
		"close":   "A renewal of the leases costs. " + strings.Repeat("It says nothing to us. ", 5),
		"deleted": "Lease renewal, lease renewal, lease renewal.",
		"draft":   "---\ntype: draft\n---\n\nLease renewal, lease renewal, lease renewal.",
	}
	for n := range 12 {
		pages[fmt.Sprint("other", n)] = strings.Repeat("Of something else. ", 10)
	}
	b := apptest.New(t)
	files := map[string]string{}
	for slug, text := range pages {
		files[slug+".md"] = text + "\n"
	}
	root := b.Dir("notes", files)
	a, ctx := b.Open(), context.Background()
	apptest.OK(a.Spaces().Add(ctx, app.SpaceAdd{Root: root}))(t)
	apptest.OK(a.Sync(ctx, app.SyncRequest{}))(t)
	apptest.OK(a.Spaces().Add(ctx, app.SpaceAdd{Name: "kept", Database: true}))(t)
	kept := a.For(app.Caller{Space: "kept"})
	for slug, text := range pages {
		apptest.OK(kept.Put(ctx, app.PutRequest{Ref: slug, Text: []byte(text + "\n")}))(t)
	}

	for _, in := range []struct {
		name string
		a    *app.App
	}{{"notes", a.For(app.Caller{Space: "notes"})}, {"kept", kept}} {
		apptest.OK(in.a.Delete(ctx, app.DeleteRequest{Ref: in.name + ":deleted"}))(t)
		for _, tc := range []struct {
			mode   app.Mode
			fusion app.Fusion
			want   string
		}{
			{app.ModeHybrid, "", "close [lease renewal] apart"},
			{app.ModeHybrid, app.RRF, "apart close"},
			{app.ModeWords, "", "apart close"},
		} {
			r := apptest.OK(in.a.Search(ctx, app.SearchRequest{
				Query: "what of the lease and its renewal -type:draft", Mode: tc.mode, Fusion: tc.fusion, Explain: true,
			}))(t)

			var got []string
			for _, h := range r.Items {
				got = append(got, h.Slug)
				if n := h.Why.Near; n != nil {
					got = append(got, fmt.Sprint(n.Words))
					if n.Score <= 0 || n.Score >= h.Why.Words.Score {
						t.Errorf("%s adds %v to a score of %v", h.Slug, n.Score, h.Why.Words.Score)
					}
				}
			}
			if diff := cmp.Diff(tc.want, strings.Join(got, " ")); diff != "" {
				t.Errorf("%s, %s %s: %s", in.name, tc.mode, tc.fusion, diff)
			}
		}
	}
}
