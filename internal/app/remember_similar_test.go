package app_test

import (
	"context"
	"testing"

	"github.com/cairn-kb/cairn/internal/app"
	"github.com/cairn-kb/cairn/internal/apptest"
	"github.com/cairn-kb/cairn/internal/embed/bge"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/store"
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

// behind is a memory whose transactions see no vectors of pages: as one that began before
// they were written, while another has brought them into memory.
type behind struct{ app.Database }

func (b behind) View(ctx context.Context, f func(store.Tx) error) error {
	return b.Database.View(ctx, func(tx store.Tx) error { return f(behindTx{tx}) })
}

type behindTx struct{ store.Tx }

func (tx behindTx) Vectors() store.Vectors { return noVectors{tx.Tx.Vectors()} }

type noVectors struct{ store.Vectors }

func (noVectors) Get(context.Context, string, int64) (store.PageVectors, error) {
	return store.PageVectors{}, kb.Errorf(kb.NotFound, "the page has no vectors")
}

// A page that is embedded between the transactions of a capture does not fail it.
func TestCaptureBesideEmbedding(t *testing.T) {
	if !bge.Available() {
		t.Skip("this build has no embedding model (tag slim)")
	}
	b := apptest.New(t)
	b.Opts.Wrap(nil, func(db app.Database) app.Database { return behind{db} })
	a, ctx := b.Open(), context.Background()
	capture := func(text string) []app.Hit {
		return apptest.OK(a.Capture(ctx, app.CaptureRequest{Texts: []string{text}}))(t).Similar
	}
	capture("The agora server caches rendered nodes for 5 minutes; restart to flush.")
	apptest.OK(a.Models().Embed(ctx, app.EmbedRequest{}))(t)
	capture("Deploys go through staging first.") // is not embedded
	if got := capture("The agora server keeps a cache of rendered nodes for 5 minutes."); len(got) != 1 {
		t.Errorf("similar are %+v", got)
	}
}
