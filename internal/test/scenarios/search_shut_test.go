package scenarios_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/memory/embedding"
	"github.com/cairn-kb/cairn/internal/memory/read"
	"github.com/cairn-kb/cairn/internal/memory/retrieve"
	"github.com/cairn-kb/cairn/internal/memory/space"
	"github.com/cairn-kb/cairn/internal/search/embed/bge"
	"github.com/cairn-kb/cairn/internal/test/apptest"
	"github.com/cairn-kb/cairn/internal/upkeep/gitsync"
)

// Nothing of a page that a query shuts out is shown, also where it stands in
// one document with a page that is found, and no metadata.
func TestShutOutPagesAreNotShown(t *testing.T) {
	t.Parallel()
	if !bge.Available() {
		t.Skip("this build has no embedding model (tag slim)")
	}
	b := apptest.New(t)
	root := b.Dir("notes", map[string]string{
		"x.org": "#+title: Notes\nOf the farm.\n* Apples :fruit:\n:PROPERTIES:\n:ID: 11111111-2222-4333-8444-555555555555\n:END:\nApples grow in the orchard.\n" +
			"* Salary :private:\n:PROPERTIES:\n:ID: 21111111-2222-4333-8444-555555555555\n:END:\nThe salary of Bob is 5000 crowns.\n* More\nPears as well.\n",
		"y.md": "---\ntype: note\nsecret: 5000\n---\nApples ripen late.\n",
		"z.md": "---\ntype: note\nsecret: 5000\n---\n",
	})
	a, ctx := b.Open(), context.Background()
	apptest.OK(gitsync.AddSpace(ctx, a, space.AddRequest{Root: root}))(t)
	apptest.OK(gitsync.Sync(ctx, a, gitsync.SyncRequest{}))(t)
	apptest.OK(embedding.Embed(ctx, a, embedding.Request{}))(t)
	for _, q := range []string{"where do apples grow -tag:private", "apples -crowns", "notes -tag:private", "farm -tag:private", "z -tag:private"} {
		for _, mode := range []api.Mode{api.ModeWords, api.ModeVector, api.ModeHybrid, api.ModeExact} {
			for _, depth := range []api.Depth{api.DepthSummary, api.DepthSection, api.DepthFull, api.DepthAuto} {
				r := apptest.OK(read.Query(ctx, a, retrieve.QueryRequest{
					SearchRequest: retrieve.SearchRequest{Query: q, Mode: mode, SnippetLen: 1000, Explain: true}, Depth: depth,
				}))(t)

				for _, h := range r.Items {
					why := apptest.OK(json.Marshal(h.Why))(t)
					all := fmt.Sprint(h.Text, h.Snippet, h.Summary, string(why))
					// Scores may have any digits.
					for _, hidden := range []string{"5000 crowns", "secret", "Salary", ":ID:", "type:", "---"} {
						if strings.Contains(all, hidden) {
							t.Errorf("%s, %s %s: %s shows %q: %q, %q", q, mode, depth, h.Ref, hidden, h.Snippet, h.Text)
						}
					}
				}
			}
		}
	}
}
