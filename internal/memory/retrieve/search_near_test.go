package retrieve_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/change"
	"github.com/cairn-kb/cairn/internal/memory/read"
	"github.com/cairn-kb/cairn/internal/memory/retrieve"
	"github.com/cairn-kb/cairn/internal/memory/space"
	"github.com/cairn-kb/cairn/internal/test/apptest"
	"github.com/cairn-kb/cairn/internal/upkeep/gitsync"
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
	apptest.OK(gitsync.AddSpace(ctx, a, space.AddRequest{Root: root}))(t)
	apptest.OK(gitsync.Sync(ctx, a, gitsync.SyncRequest{}))(t)
	apptest.OK(gitsync.AddSpace(ctx, a, space.AddRequest{Name: "kept", Database: true}))(t)
	kept := a.For(memory.Caller{Space: "kept"})
	for slug, text := range pages {
		apptest.OK(change.Put(ctx, kept, change.PutRequest{Ref: slug, Text: []byte(text + "\n")}))(t)
	}

	for _, in := range []struct {
		name string
		a    *memory.Session
	}{{"notes", a.For(memory.Caller{Space: "notes"})}, {"kept", kept}} {
		apptest.OK(change.Delete(ctx, in.a, change.DeleteRequest{Ref: in.name + ":deleted"}))(t)
		for _, tc := range []struct {
			mode   api.Mode
			fusion retrieve.Fusion
			want   string
		}{
			{api.ModeHybrid, "", "close [lease renewal] apart"},
			{api.ModeHybrid, retrieve.RRF, "apart close"},
			{api.ModeWords, "", "apart close"},
		} {
			r := apptest.OK(read.Search(ctx, in.a, retrieve.SearchRequest{
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
