package scenarios_test

import (
	"context"
	"strings"
	"testing"

	"github.com/cairn-kb/cairn/internal/memory/change"
	"github.com/cairn-kb/cairn/internal/memory/embedding"
	"github.com/cairn-kb/cairn/internal/test/apptest"
)

// Lines of a page that are the same are computed once, and all can be found.
func TestEmbedComputesEqualChunksOnce(t *testing.T) {
	t.Parallel()
	_, a := modelBed(t, nil)
	ctx := context.Background()
	text := strings.Repeat("- Water the plants in the hall.\n- Feed the cat.\n", 20)
	apptest.OK(change.Put(ctx, a, change.PutRequest{Ref: "chores", Text: []byte(text)}))(t)
	r := apptest.OK(embedding.Embed(ctx, a, embedding.Request{Refs: []string{"chores"}}))(t)
	if r.Pages != 1 || r.Chunks != 2 || r.Reused != 38 {
		t.Errorf("embedded %+v", r)
	}
	if r := apptest.OK(embedding.Embed(ctx, a, embedding.Request{Refs: []string{"chores"}}))(t); r.Pages != 0 {
		t.Errorf("again: %+v", r)
	}
	if path, _ := first(t, a, "gardening indoors"); path != "chores.md" {
		t.Errorf("found %s", path)
	}
}
