package scenarios_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/memory/read"
	"github.com/cairn-kb/cairn/internal/memory/retrieve"
	"github.com/cairn-kb/cairn/internal/memory/space"
	"github.com/cairn-kb/cairn/internal/search/embed/bge"
	"github.com/cairn-kb/cairn/internal/test/apptest"
	"github.com/cairn-kb/cairn/internal/upkeep/gitsync"
)

// A page that is far longer than the budget is said to have about as many tokens
// as it has, and one that fits is served whole.
func TestQueryOfALongPage(t *testing.T) {
	t.Parallel()
	if !bge.Available() {
		t.Skip("this build has no embedding model (tag slim)")
	}
	text := "stone " + strings.Repeat("A path leads over the antidisestablished hill, and down.\n\n", 20_000)
	b := apptest.New(t)
	root := b.Dir("notes", map[string]string{"long.md": text})
	a, ctx := b.Open(), context.Background()
	apptest.OK(gitsync.AddSpace(ctx, a, space.AddRequest{Root: root}))(t)
	apptest.OK(gitsync.Sync(ctx, a, gitsync.SyncRequest{}))(t)
	whole := retrieve.CountTokens(strings.TrimSpace(text))
	for budget, full := range map[int]bool{100: false, 4000: false, whole - 1: false, whole: true} {
		r := apptest.OK(read.Query(ctx, a, retrieve.QueryRequest{SearchRequest: retrieve.SearchRequest{Query: "stone", Mode: api.ModeWords}, Budget: budget}))(t)
		h := r.Items[0]
		if said := h.Tokens + h.LeftOut; said < whole*98/100 || said > whole*102/100 {
			t.Errorf("budget %d: %d tokens, have %d", budget, said, whole)
		}
		if r.Spent > budget || (h.Depth == api.DepthFull) != full || full && (h.Tokens != whole || h.LeftOut != 0) {
			t.Errorf("budget %d: served %s of %d tokens, left %d", budget, h.Depth, h.Tokens, h.LeftOut)
		}
	}
}

// Whatever the pages and the budget, the texts served are within it as the
// model's own tokenizer counts them, and their sum is what the answer says.
func TestQueryBudgetHoldsForAnyPages(t *testing.T) {
	t.Parallel()
	if !bge.Available() {
		t.Skip("this build has no embedding model (tag slim)")
	}
	words := []string{"stone", "Überraschung", "日本語", "`x := y`", "antidisestablishmentarianism", "🙂", "a", "[[ada]]", "3.1415926535", "- item"}
	rnd := rand.New(rand.NewPCG(1, 2))
	files := map[string]string{}
	for i := range 12 {
		var text strings.Builder
		fmt.Fprintf(&text, "# Page %d\n\n> A stone of page %d.\n\nstone", i, i)
		for range rnd.IntN(400) {
			text.WriteString([]string{" ", " ", " ", "\n", "\n\n"}[rnd.IntN(5)] + words[rnd.IntN(len(words))])
		}
		files[fmt.Sprintf("p%d.md", i)] = text.String()
	}
	b := apptest.New(t)
	root := b.Dir("notes", files)
	a, ctx := b.Open(), context.Background()
	apptest.OK(gitsync.AddSpace(ctx, a, space.AddRequest{Root: root}))(t)
	apptest.OK(gitsync.Sync(ctx, a, gitsync.SyncRequest{}))(t)
	model, err := bge.New("", 0)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 80 {
		budget := 1 + rnd.IntN(2000)
		depth := []api.Depth{api.DepthAuto, api.DepthSummary, api.DepthSection, api.DepthFull}[i%4]
		r := apptest.OK(read.Query(ctx, a, retrieve.QueryRequest{
			SearchRequest: retrieve.SearchRequest{Query: "stone", Mode: api.ModeWords, Limit: 12}, Depth: depth, Budget: budget,
		}))(t)

		sum := 0
		for _, h := range r.Items {
			n := 0
			if h.Text != "" {
				n = apptest.OK(model.CountTokens(h.Text))(t)
			}
			if n != h.Tokens {
				t.Errorf("budget %d, %s: %s has %d tokens, said to be %d", budget, depth, h.Ref, n, h.Tokens)
			}
			sum += n
		}
		if sum > budget || sum != r.Spent {
			t.Errorf("budget %d, %s: %d tokens served, said to be %d", budget, depth, sum, r.Spent)
		}
	}
}

// A budget bounds what is served also where the model's own tokenizer takes a
// dump for one token and empty lines for none.
func TestQueryBudgetHoldsForDumps(t *testing.T) {
	t.Parallel()
	b := apptest.New(t)
	root := b.Dir("notes", map[string]string{
		"dump.md":  "# Firmware of the heron board\n\ndump:\n\n" + strings.Repeat("0123456789abcdef", 25_000) + "\n",
		"blank.md": "# Heron\n" + strings.Repeat("\n", 300_000) + "heron\n",
	})
	a, ctx := b.Open(), context.Background()
	apptest.OK(gitsync.AddSpace(ctx, a, space.AddRequest{Root: root}))(t)
	apptest.OK(gitsync.Sync(ctx, a, gitsync.SyncRequest{}))(t)
	for _, budget := range []int{100, 4000} {
		r := apptest.OK(read.Query(ctx, a, retrieve.QueryRequest{SearchRequest: retrieve.SearchRequest{Query: "heron", Mode: api.ModeWords}, Budget: budget}))(t)
		sum := 0
		for _, h := range r.Items {
			sum += len(h.Text)
		}
		if len(r.Items) != 2 || sum > 16*budget || r.Spent > budget {
			t.Errorf("budget %d: %d bytes of %d pages, said to be %d tokens", budget, sum, len(r.Items), r.Spent)
		}
	}
}
