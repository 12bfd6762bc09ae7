package retrieve_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/read"
	"github.com/cairn-kb/cairn/internal/memory/retrieve"
	"github.com/cairn-kb/cairn/internal/memory/space"
	"github.com/cairn-kb/cairn/internal/test/apptest"
	"github.com/cairn-kb/cairn/internal/upkeep/gitsync"
)

// What a question names and asks for, and how pages are filed, speaks for pages
// in a hybrid search, is explained, and leaves none out. Nothing is embedded
// here: words find the pages.
func TestIntent(t *testing.T) {
	t.Parallel()
	b := apptest.New(t)
	root := b.Dir("notes", map[string]string{
		"people/jensen-huang.md":        "---\ntype: person\n---\n\nChip maker who likes jackets.\n",
		"people/ali.md":                 "---\ntitle: Ali Partovi\ntype: People\n---\n\nInvestor who knows chip people.\n",
		"deals/river-ai.md":             "---\ntitle: River AI\ntype: deal\n---\n\nThesis: chips for rivers.\n",
		"deals/river.md":                "---\ntitle: River cleaning\ntype: deal\naliases: [Huang project]\n---\n\nThesis: clean water, no chip.\n",
		"log/2026-02-28.md":             "Talked of a chip.\n",
		"log/2026-03-01.md":             "Talked of a chip and water.\n",
		"log/2026-03-03.md":             "Talked of water.\n",
		"talk/D1-1.md":                  "---\ntitle: First talk\ndate: 2026-03-02\n---\n\nA chip and water.\n",
		"talk/D1-3.md":                  "---\ntitle: First talk\n---\n\nA chip.\n",
		"talk/jensen-huang-on-chips.md": "A chip is a brain.\n",
	})
	a, ctx := b.Open(), context.Background()
	apptest.OK(gitsync.AddSpace(ctx, a, space.AddRequest{Root: root}))(t)
	apptest.OK(gitsync.Sync(ctx, a, gitsync.SyncRequest{}))(t)

	for _, tc := range []struct {
		question string
		fusion   retrieve.Fusion
		want     string // for each page that something speaks for: what
	}{
		{"who knows Jensen Huang of the chip", "", `
people/ali: type People 0.02
people/jensen-huang: names Jensen Huang 0.10, type person 0.02
talk/jensen-huang-on-chips: names Jensen Huang 0.10`},
		{"chip of Huang and of Ali", "", `
deals/river: names Huang 0.05
people/ali: names Ali 0.05
people/jensen-huang: names Huang 0.05
talk/jensen-huang-on-chips: names Huang 0.05`},
		{"thesis on river ai", "", "\ndeals/river-ai: names river ai 0.10"},
		{"thesis on river", "", ""},
		{"deals with a Partovi or Babbage thesis", "", `
deals/river: type deal 0.02
deals/river-ai: type deal 0.02
people/ali: names Partovi 0.10`},
		{"people -type:person with a thesis", "", "\npeople/ali: type People 0.02"},
		{"what of a chip or water on 1 March, 2026?", "", `
log/2026-02-28: time 2026-02-28 0.21
log/2026-03-01: time 2026-03-01 0.68
log/2026-03-03: time 2026-03-03 0.26
talk/D1-1: time 2026-03-02 0.29`},
		{"water in march", "", `
log/2026-03-01: time 2026-03-01 0.60
log/2026-03-03: time 2026-03-03 0.60
talk/D1-1: time 2026-03-02 0.60`},
		{"who knows Jensen Huang of the chip", retrieve.RRF, ""},
		{"who knows Jensen Huang of the chip", retrieve.SetUnion, ""},
	} {
		var got strings.Builder
		for _, h := range explained(t, a, tc.question, tc.fusion) {
			var parts []string
			if n := h.Why.Names; n != nil {
				parts = append(parts, fmt.Sprintf("names %s %.2f", strings.Join(n.Names, "+"), n.Share))
			}
			if x := h.Why.Time; x != nil {
				parts = append(parts, fmt.Sprintf("time %s %.2f", x.Day, x.Share))
			}
			if k := h.Why.Type; k != nil {
				parts = append(parts, fmt.Sprintf("type %s %.2f", k.Type, k.Share))
			}
			if len(parts) > 0 {
				fmt.Fprintf(&got, "\n%s: %s", h.Slug, strings.Join(parts, ", "))
			}
		}
		if diff := cmp.Diff(tc.want, got.String()); diff != "" {
			t.Errorf("%q %s: %s", tc.question, tc.fusion, diff)
		}
	}

	lent := map[string]string{}
	for _, h := range explained(t, a, "water chip", "") {
		if l := h.Why.Beside; l != nil && l.Share > 0 && l.Share < l.Score {
			lent[h.Slug] += "beside " + l.Ref
		}
		if l := h.Why.Whole; l != nil && l.Share > 0 && l.Share < l.Score {
			lent[h.Slug] += "whole " + l.Ref
		}
	}
	if diff := cmp.Diff(map[string]string{
		"log/2026-02-28": "beside notes:log/2026-03-01",
		"log/2026-03-01": "beside notes:log/2026-02-28",
		"talk/D1-3":      "whole notes:talk/D1-1",
	}, lent); diff != "" {
		t.Errorf("lent: %s", diff)
	}
}

// explained returns the hits of a hybrid search in the order of their slugs.
func explained(t *testing.T, a *memory.Session, question string, fusion retrieve.Fusion) []api.Hit {
	t.Helper()
	found := apptest.OK(read.Search(context.Background(), a, retrieve.SearchRequest{
		Query: question, Mode: api.ModeHybrid, Fusion: fusion, Explain: true, Limit: 50,
	}))(t)

	plain := apptest.OK(read.Search(context.Background(), a, retrieve.SearchRequest{
		Query: question, Mode: api.ModeHybrid, Fusion: retrieve.RRF, Limit: 50,
	}))(t)

	if len(found.Items) == 0 || found.Total != plain.Total {
		t.Errorf("%q: %d pages, %d by rrf", question, found.Total, plain.Total)
	}
	slices.SortFunc(found.Items, func(x, y api.Hit) int { return strings.Compare(x.Slug, y.Slug) })
	return found.Items
}
