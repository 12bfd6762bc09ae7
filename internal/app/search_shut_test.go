package app_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/cairn-kb/cairn/internal/app"
	"github.com/cairn-kb/cairn/internal/embed/bge"
)

// Nothing of a page that a query shuts out is shown, also where it stands in
// one document with a page that is found, and no metadata.
func TestShutOutPagesAreNotShown(t *testing.T) {
	if !bge.Available() {
		t.Skip("this build has no embedding model (tag slim)")
	}
	b := newBed(t)
	root := b.dir("notes", map[string]string{
		"x.org": "#+title: Notes\nOf the farm.\n* Apples :fruit:\n:PROPERTIES:\n:ID: 11111111-2222-4333-8444-555555555555\n:END:\nApples grow in the orchard.\n" +
			"* Salary :private:\n:PROPERTIES:\n:ID: 21111111-2222-4333-8444-555555555555\n:END:\nThe salary of Bob is 5000 crowns.\n* More\nPears as well.\n",
		"y.md": "---\ntype: note\nsecret: 5000\n---\nApples ripen late.\n",
		"z.md": "---\ntype: note\nsecret: 5000\n---\n",
	})
	a, ctx := b.open(), context.Background()
	ok[app.Space](t)(a.SpaceAdd(ctx, app.SpaceAdd{Root: root}))
	ok[[]app.SyncReport](t)(a.Sync(ctx, app.SyncRequest{}))
	ok[app.EmbedReport](t)(a.Embed(ctx, app.EmbedRequest{}))
	for _, q := range []string{"where do apples grow -tag:private", "apples -crowns", "notes -tag:private", "farm -tag:private", "z -tag:private"} {
		for _, mode := range []app.Mode{app.ModeWords, app.ModeVector, app.ModeHybrid, app.ModeExact} {
			for _, depth := range []app.Depth{app.DepthSummary, app.DepthSection, app.DepthFull, app.DepthAuto} {
				r := ok[app.QueryResult](t)(a.Query(ctx, app.QueryRequest{
					SearchRequest: app.SearchRequest{Query: q, Mode: mode, SnippetLen: 1000, Explain: true}, Depth: depth,
				}))
				for _, h := range r.Items {
					why := ok[[]byte](t)(json.Marshal(h.Why))
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
