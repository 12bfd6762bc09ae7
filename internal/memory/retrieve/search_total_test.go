package retrieve_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/memory/read"
	"github.com/cairn-kb/cairn/internal/memory/retrieve"
	"github.com/cairn-kb/cairn/internal/memory/space"
	"github.com/cairn-kb/cairn/internal/test/apptest"
	"github.com/cairn-kb/cairn/internal/upkeep/gitsync"
)

// Totals are exact up to 1,000 and then at least that, unless they are asked for; a
// list that is read in parts has each page once, whatever was counted.
func TestTotalAtLeast(t *testing.T) {
	t.Parallel()
	const pages = 1040
	files := map[string]string{}
	for n := range pages {
		text := "Of stones.\n"
		if n < 1000 {
			text = "Of stones and moss.\n"
		}
		files[fmt.Sprintf("p%04d.md", n)] = text
	}
	b := apptest.New(t)
	root := b.Dir("notes", files)
	a, ctx := b.Open(), context.Background()
	apptest.OK(gitsync.AddSpace(ctx, a, space.AddRequest{Root: root}))(t)
	apptest.OK(gitsync.Sync(ctx, a, gitsync.SyncRequest{}))(t)
	for _, tc := range []struct {
		query   string
		exact   bool
		offset  int
		total   int
		atLeast bool
		next    string
	}{
		{query: "stones", total: 1000, atLeast: true, next: "10"},
		{query: "stones OR moss", total: 1000, atLeast: true, next: "10"},
		{query: "stones -moss", total: 40, next: "10"},
		{query: "moss", total: 1000, next: "10"},
		{query: "stones moss", total: 1000, next: "10"},
		{query: "stones", exact: true, total: pages, next: "10"},
		{query: "stones OR moss", exact: true, total: pages, next: "10"},
		{query: "stones", offset: 1025, total: pages, next: "1035"},
		{query: "stones", offset: 1030, total: pages},
	} {
		r := apptest.OK(read.Search(ctx, a, retrieve.SearchRequest{Query: tc.query, ExactTotal: tc.exact, Offset: tc.offset}))(t)
		if r.Total != tc.total || r.AtLeast != tc.atLeast || r.Next != tc.next || len(r.Items) != 10 {
			t.Errorf("%+v: total %d, at least: %v, next %q, %d hits", tc, r.Total, r.AtLeast, r.Next, len(r.Items))
		}
	}
	seen := map[string]bool{}
	for offset := 0; offset < pages; offset += 260 {
		for _, h := range apptest.OK(read.Search(ctx, a, retrieve.SearchRequest{Query: "stones", Limit: 260, Offset: offset}))(t).Items {
			seen[h.Ref] = true
		}
	}
	if len(seen) != pages {
		t.Errorf("%d pages in parts, want %d", len(seen), pages)
	}
	q := apptest.OK(read.Query(ctx, a, retrieve.QueryRequest{SearchRequest: retrieve.SearchRequest{Query: "stones", Mode: api.ModeWords}}))(t)
	if q.Total != 1000 || !q.AtLeast {
		t.Errorf("a query: total %d, at least: %v", q.Total, q.AtLeast)
	}
}
