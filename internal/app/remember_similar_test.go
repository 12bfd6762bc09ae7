package app_test

import (
	"context"
	"testing"

	"github.com/cairn-kb/cairn/internal/app"
	"github.com/cairn-kb/cairn/internal/apptest"
)

// Only what is about the same is called similar, since the agent is to merge it.
func TestSimilarIsAboutTheSame(t *testing.T) {
	for _, embedded := range []bool{false, true} {
		a := meaningBed(t)
		ctx := context.Background()
		remember := func(title, text string, dry bool) []app.Hit {
			return apptest.OK(a.Capture(ctx, app.CaptureRequest{Title: title, Texts: []string{text}, WriteOptions: app.WriteOptions{DryRun: dry}}))(t).Similar
		}
		remember("Deploy", "Deploys go through staging first, then production on Tuesdays.", false)
		remember("Cache", "The agora server caches rendered nodes for 5 minutes; restart to flush.", false)
		if embedded {
			apptest.OK(a.Models().Embed(ctx, app.EmbedRequest{}))(t)
		}
		for _, text := range []string{"Quaternion multiplication is not commutative.", "The cat prefers tuna over chicken.", "The user likes the dark mode of the editor.",
			"Before production, every deployment is tried on staging."} { // 0.72 is a page of the same subject
			if got := remember("", text, true); len(got) != 0 {
				t.Errorf("embedded %v: %q is similar to %s, %.2f", embedded, text, got[0].Path, got[0].Score)
			}
		}
		got := remember("", "The agora server keeps a cache of rendered nodes for 5 minutes.", true)
		if len(got) != 1 || got[0].Path != "cache.md" || got[0].Score < 0.8 || got[0].Score > 1 {
			t.Errorf("embedded %v: the same in other words is similar to %+v", embedded, got)
		}
	}
}
