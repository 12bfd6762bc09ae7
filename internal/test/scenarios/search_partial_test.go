package scenarios_test

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/memory/change"
	"github.com/cairn-kb/cairn/internal/memory/embedding"
	"github.com/cairn-kb/cairn/internal/memory/read"
	"github.com/cairn-kb/cairn/internal/memory/retrieve"
	"github.com/cairn-kb/cairn/internal/memory/space"
	"github.com/cairn-kb/cairn/internal/search/embed/bge"
	"github.com/cairn-kb/cairn/internal/test/apptest"
	"github.com/cairn-kb/cairn/internal/upkeep/gitsync"
)

// While most pages wait to be embedded, the few that are not are the best that
// meaning knows, whatever they are about: what holds the words comes before
// them.
func TestWordsSpeakForWhatWaits(t *testing.T) {
	t.Parallel()
	a := meaningBed(t)
	ctx := context.Background()
	apptest.OK(embedding.Embed(ctx, a, embedding.Request{}))(t)
	for i := range 20 {
		apptest.OK(change.Put(ctx, a, change.PutRequest{Ref: fmt.Sprintf("harbour/crane-%d", i), Text: fmt.Appendf(nil, "Crane %d of the harbour weighs %d tonnes.\n", i, 40+i)}))(t)
	}
	for i := range 200 {
		apptest.OK(change.Put(ctx, a, change.PutRequest{Ref: fmt.Sprintf("log/%d", i), Text: fmt.Appendf(nil, "Entry %d.\n", i)}))(t)
	}
	got := apptest.OK(read.Search(ctx, a, retrieve.SearchRequest{Query: "how much does a crane in the harbour weigh", Mode: api.ModeHybrid, Limit: 24, Explain: true}))(t)
	if got.Left != 220 || len(got.Items) != 20 {
		t.Fatalf("%d pages wait, %d found", got.Left, len(got.Items))
	}
	for i, h := range got.Items {
		_, embedded := meanings[h.Path]
		if embedded {
			t.Errorf("%d. %s, %.3f, %+v", i+1, h.Path, h.Score, h.Why)
		}
	}
	// With words for none, meaning alone keeps its order, and what is not near is no hit.
	got = apptest.OK(read.Search(ctx, a, retrieve.SearchRequest{Query: "insomnia forgetting", Mode: api.ModeHybrid}))(t)
	if len(got.Items) == 0 || got.Items[0].Path != "sleep.md" || !slices.IsSortedFunc(got.Items, func(x, y api.Hit) int { return cmp.Compare(y.Score, x.Score) }) {
		t.Errorf("by meaning alone: %+v", got.Items)
	}
}

// What a question is about is embedded before what happens to come first.
func TestQueryEmbedsWhatItsWordsFindFirst(t *testing.T) {
	t.Parallel()
	b := apptest.New(t)
	if !bge.Available() {
		t.Skip("this build has no embedding model (tag slim)")
	}
	a := b.Open()
	ctx := context.Background()
	apptest.OK(gitsync.AddSpace(ctx, a, space.AddRequest{Database: true, Name: "notes"}))(t)
	for i := range 300 {
		text := "An entry.\n"
		if i%100 == 99 {
			text = "The crane.\n"
		}
		apptest.OK(change.Put(ctx, a, change.PutRequest{Ref: fmt.Sprintf("log/%d", i), Text: fmt.Appendf(nil, "%d. %s", i, text)}))(t)
	}
	got := apptest.OK(read.Query(ctx, a, retrieve.QueryRequest{SearchRequest: retrieve.SearchRequest{Query: "crane", Mode: api.ModeHybrid, Limit: 3, Explain: true, Embed: 1}}))(t)
	if got.Left != 297 || len(got.Items) != 3 {
		t.Fatalf("%d pages wait, %d found", got.Left, len(got.Items))
	}
	for _, h := range got.Items {
		if h.Why.Words == nil || h.Why.Meaning == nil {
			t.Errorf("%s is found by %+v", h.Path, h.Why)
		}
	}
}
