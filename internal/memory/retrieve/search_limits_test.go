package retrieve_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/memory/embedding"
	"github.com/cairn-kb/cairn/internal/memory/read"
	"github.com/cairn-kb/cairn/internal/memory/retrieve"
	"github.com/cairn-kb/cairn/internal/memory/space"
	"github.com/cairn-kb/cairn/internal/search/embed/bge"
	"github.com/cairn-kb/cairn/internal/test/apptest"
	"github.com/cairn-kb/cairn/internal/test/slowtest"
	"github.com/cairn-kb/cairn/internal/upkeep/gitsync"
)

// Whatever a search goes by, it answers no page that its query shuts out.
func TestLimitsHoldInEveryMode(t *testing.T) {
	t.Parallel()
	slowtest.NoRace(t, "one thing after the other, many times")
	if !bge.Available() {
		t.Skip("this build has no embedding model (tag slim)")
	}
	b := apptest.New(t)
	root := b.Dir("notes", map[string]string{
		"boats/sail.md":   "---\ntitle: Sailing boat\ntype: idea\ntags: [sea, wind]\nstatus: active\nupdated: 2026-03-10\n---\n\nA boat under sail crosses the bay on a steady breeze.\n",
		"boats/motor.md":  "---\ntitle: Motor boat\ntype: note\ntags: [sea]\nstatus: stale\nupdated: 2026-05-10\n---\n\nA boat with a motor crosses the bay on diesel, temporary permit.\n",
		"lake/row.md":     "---\ntitle: Rowing boat\ntype: idea\ntags: [lake]\nupdated: 2025-07-01\n---\n\nA boat with oars; the harbour gave a temporary licence. First draft.\n",
		"lake/ferry.md":   "---\ntitle: Ferry\ntype: note\ntags: [lake, wind]\nupdated: 2026-01-01\n---\n\nThe ferry is a boat that carries cars over the lake.\n",
		"land/bicycle.md": "---\ntitle: Bicycle\ntype: note\ntags: [road]\nupdated: 2026-03-11\n---\n\nTwo wheels, a chain and a bell.\n",
	})
	other := b.Dir("other", map[string]string{"canoe.md": "# Canoe\n\nA boat of bark for one temporary river crossing.\n"})
	a, ctx := b.Open(), context.Background()
	apptest.OK(gitsync.AddSpace(ctx, a, space.AddRequest{Root: root, Name: "notes"}))(t)
	apptest.OK(gitsync.AddSpace(ctx, a, space.AddRequest{Root: other, Name: "other"}))(t)
	a = a.In("notes")
	apptest.OK(gitsync.Sync(ctx, a, gitsync.SyncRequest{Space: "*"}))(t)
	apptest.OK(embedding.Embed(ctx, a, embedding.Request{All: true}))(t)

	const all = "bicycle ferry motor row sail"
	for _, tc := range []struct {
		query  string
		narrow retrieve.Narrow
		want   string // what may be answered
	}{
		{"boat", retrieve.Narrow{}, all},
		{"boat -temporary", retrieve.Narrow{}, "bicycle ferry sail"},
		{"boat NOT temporary", retrieve.Narrow{}, "bicycle ferry sail"},
		{"boat -crossed", retrieve.Narrow{}, "bicycle ferry row"},
		{"boat -tempor*", retrieve.Narrow{}, "bicycle ferry sail"},
		{`boat -"first draft"`, retrieve.Narrow{}, "bicycle ferry motor sail"},
		{`boat -"draft first"`, retrieve.Narrow{}, all},
		{"boat -(temporary motor)", retrieve.Narrow{}, "bicycle ferry row sail"},
		{"boat -(motor OR cars)", retrieve.Narrow{}, "bicycle row sail"},
		{"(boat -temporary) OR (crossing -motor)", retrieve.Narrow{}, "bicycle ferry row sail"},
		{"(crosses -temporary) OR oars", retrieve.Narrow{}, "bicycle ferry row sail"},
		{"boat -title:motor", retrieve.Narrow{}, "bicycle ferry row sail"},
		{"boat title:motor", retrieve.Narrow{}, "motor"},
		{"wheels name:boat", retrieve.Narrow{}, "motor row sail"},
		{"boat name:lake -name:ferry", retrieve.Narrow{}, "row"},
		{"crossing", retrieve.Narrow{Titles: []string{"boat"}}, "motor row sail"},
		{"crossing title:boat -diesel", retrieve.Narrow{}, "row sail"},
		{"boat type:idea", retrieve.Narrow{}, "row sail"},
		{"boat -type:idea", retrieve.Narrow{}, "bicycle ferry motor"},
		{"boat type:idea type:note", retrieve.Narrow{}, all},
		{"boat", retrieve.Narrow{Types: []string{"idea"}}, "row sail"},
		{"boat tag:sea", retrieve.Narrow{}, "motor sail"},
		{"boat tag:sea tag:wind", retrieve.Narrow{}, "sail"},
		{"boat -tag:sea", retrieve.Narrow{}, "bicycle ferry row"},
		{"boat -tag:sea -tag:road", retrieve.Narrow{}, "ferry row"},
		{"boat", retrieve.Narrow{Tags: []string{"wind", "lake"}}, "ferry"},
		{"boat status:stale", retrieve.Narrow{}, "motor"},
		{"boat -status:stale", retrieve.Narrow{}, "bicycle ferry row sail"},
		{"boat", retrieve.Narrow{Statuses: []string{"stale"}}, "motor"},
		{"boat status:unheard-of", retrieve.Narrow{}, ""},
		{"boat path:lake", retrieve.Narrow{}, "ferry row"},
		{"boat -path:lake", retrieve.Narrow{}, "bicycle motor sail"},
		{"boat path:*/r*.md", retrieve.Narrow{}, "row"},
		{"boat", retrieve.Narrow{Paths: []string{"lake", "land"}}, "bicycle ferry row"},
		{"boat after:2026-02", retrieve.Narrow{}, "bicycle motor sail"},
		{"boat before:2026-02", retrieve.Narrow{}, "ferry row"},
		{"boat after:2026-01 before:2026-05", retrieve.Narrow{}, "bicycle ferry sail"},
		{"boat -after:2026-02", retrieve.Narrow{}, "ferry row"},
		{"boat -after:2026-05 -before:2026-01", retrieve.Narrow{}, "bicycle ferry sail"},
		{"boat -after:2026-05 -after:2026-02", retrieve.Narrow{}, "ferry row"},
		{"boat", retrieve.Narrow{After: "2026-02", Before: "2026-05"}, "bicycle sail"},
		{"boat space:notes", retrieve.Narrow{}, all},
		{"boat space:other", retrieve.Narrow{}, "canoe"},
		{"boat -space:notes", retrieve.Narrow{}, "canoe"},
		{"boat space:unheard-of space:other", retrieve.Narrow{}, "canoe"},
		{"boat space:unheard-of", retrieve.Narrow{}, ""},
		{"boat (space:other OR tag:wind)", retrieve.Narrow{}, "canoe ferry sail"},
		{"boat (-space:notes OR tag:wind)", retrieve.Narrow{}, "canoe ferry sail"},
		{"boat (tag:wind OR type:idea) -oars", retrieve.Narrow{}, "ferry sail"},
		{"boat -(tag:wind OR type:idea)", retrieve.Narrow{}, "bicycle motor"},
		{"sailing boat -temporary", retrieve.Narrow{}, "bicycle ferry sail"},
		{"motor boat -diesel", retrieve.Narrow{}, "bicycle ferry row sail"}, // its name is no way round
	} {
		for _, mode := range []api.Mode{api.ModeWords, api.ModeVector, api.ModeHybrid, api.ModeExact} {
			for _, fusion := range []retrieve.Fusion{retrieve.Weighted, retrieve.RRF, retrieve.SetUnion} {
				if fusion != retrieve.Weighted && mode != api.ModeHybrid {
					continue
				}
				found := apptest.OK(read.Search(ctx, a, retrieve.SearchRequest{Query: tc.query, Narrow: tc.narrow, Mode: mode, Fusion: fusion}))(t)
				var got []string
				for _, h := range found.Items {
					got = append(got, h.Slug[strings.LastIndexByte(h.Slug, '/')+1:])
				}
				slices.Sort(got)
				allowed := strings.Fields(tc.want)
				for _, page := range got {
					if !slices.Contains(allowed, page) {
						t.Errorf("%s %+v, %s %s: answers %s", tc.query, tc.narrow, mode, fusion, page)
					}
				}
				// Of so few pages all are near enough in meaning to be answered.
				if mode == api.ModeVector && !slices.Equal(got, allowed) {
					t.Errorf("%s %+v, %s: answers %v, not %v", tc.query, tc.narrow, mode, got, allowed)
				}
			}
		}
	}
	named := apptest.OK(read.Search(ctx, a, retrieve.SearchRequest{Query: "sailing boat -temporary", Mode: api.ModeExact}))(t)
	if len(named.Items) != 1 || named.Items[0].Why.Exact != "title" {
		t.Errorf("a query names a page also beside what it excludes: %+v", named.Items)
	}
}
