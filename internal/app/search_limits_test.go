package app_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/cairn-kb/cairn/internal/app"
	"github.com/cairn-kb/cairn/internal/search/embed/bge"
	"github.com/cairn-kb/cairn/internal/test/apptest"
)

// Whatever a search goes by, it answers no page that its query shuts out.
func TestLimitsHoldInEveryMode(t *testing.T) {
	t.Parallel()
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
	apptest.OK(a.Spaces().Add(ctx, app.SpaceAdd{Root: root, Name: "notes"}))(t)
	apptest.OK(a.Spaces().Add(ctx, app.SpaceAdd{Root: other, Name: "other"}))(t)
	a = a.In("notes")
	apptest.OK(a.Sync(ctx, app.SyncRequest{Space: "*"}))(t)
	apptest.OK(a.Models().Embed(ctx, app.EmbedRequest{All: true}))(t)

	const all = "bicycle ferry motor row sail"
	for _, tc := range []struct {
		query  string
		narrow app.Narrow
		want   string // what may be answered
	}{
		{"boat", app.Narrow{}, all},
		{"boat -temporary", app.Narrow{}, "bicycle ferry sail"},
		{"boat NOT temporary", app.Narrow{}, "bicycle ferry sail"},
		{"boat -crossed", app.Narrow{}, "bicycle ferry row"},
		{"boat -tempor*", app.Narrow{}, "bicycle ferry sail"},
		{`boat -"first draft"`, app.Narrow{}, "bicycle ferry motor sail"},
		{`boat -"draft first"`, app.Narrow{}, all},
		{"boat -(temporary motor)", app.Narrow{}, "bicycle ferry row sail"},
		{"boat -(motor OR cars)", app.Narrow{}, "bicycle row sail"},
		{"(boat -temporary) OR (crossing -motor)", app.Narrow{}, "bicycle ferry row sail"},
		{"(crosses -temporary) OR oars", app.Narrow{}, "bicycle ferry row sail"},
		{"boat -title:motor", app.Narrow{}, "bicycle ferry row sail"},
		{"boat title:motor", app.Narrow{}, "motor"},
		{"wheels name:boat", app.Narrow{}, "motor row sail"},
		{"boat name:lake -name:ferry", app.Narrow{}, "row"},
		{"crossing", app.Narrow{Titles: []string{"boat"}}, "motor row sail"},
		{"crossing title:boat -diesel", app.Narrow{}, "row sail"},
		{"boat type:idea", app.Narrow{}, "row sail"},
		{"boat -type:idea", app.Narrow{}, "bicycle ferry motor"},
		{"boat type:idea type:note", app.Narrow{}, all},
		{"boat", app.Narrow{Types: []string{"idea"}}, "row sail"},
		{"boat tag:sea", app.Narrow{}, "motor sail"},
		{"boat tag:sea tag:wind", app.Narrow{}, "sail"},
		{"boat -tag:sea", app.Narrow{}, "bicycle ferry row"},
		{"boat -tag:sea -tag:road", app.Narrow{}, "ferry row"},
		{"boat", app.Narrow{Tags: []string{"wind", "lake"}}, "ferry"},
		{"boat status:stale", app.Narrow{}, "motor"},
		{"boat -status:stale", app.Narrow{}, "bicycle ferry row sail"},
		{"boat", app.Narrow{Statuses: []string{"stale"}}, "motor"},
		{"boat status:unheard-of", app.Narrow{}, ""},
		{"boat path:lake", app.Narrow{}, "ferry row"},
		{"boat -path:lake", app.Narrow{}, "bicycle motor sail"},
		{"boat path:*/r*.md", app.Narrow{}, "row"},
		{"boat", app.Narrow{Paths: []string{"lake", "land"}}, "bicycle ferry row"},
		{"boat after:2026-02", app.Narrow{}, "bicycle motor sail"},
		{"boat before:2026-02", app.Narrow{}, "ferry row"},
		{"boat after:2026-01 before:2026-05", app.Narrow{}, "bicycle ferry sail"},
		{"boat -after:2026-02", app.Narrow{}, "ferry row"},
		{"boat -after:2026-05 -before:2026-01", app.Narrow{}, "bicycle ferry sail"},
		{"boat -after:2026-05 -after:2026-02", app.Narrow{}, "ferry row"},
		{"boat", app.Narrow{After: "2026-02", Before: "2026-05"}, "bicycle sail"},
		{"boat space:notes", app.Narrow{}, all},
		{"boat space:other", app.Narrow{}, "canoe"},
		{"boat -space:notes", app.Narrow{}, "canoe"},
		{"boat space:unheard-of space:other", app.Narrow{}, "canoe"},
		{"boat space:unheard-of", app.Narrow{}, ""},
		{"boat (space:other OR tag:wind)", app.Narrow{}, "canoe ferry sail"},
		{"boat (-space:notes OR tag:wind)", app.Narrow{}, "canoe ferry sail"},
		{"boat (tag:wind OR type:idea) -oars", app.Narrow{}, "ferry sail"},
		{"boat -(tag:wind OR type:idea)", app.Narrow{}, "bicycle motor"},
		{"sailing boat -temporary", app.Narrow{}, "bicycle ferry sail"},
		{"motor boat -diesel", app.Narrow{}, "bicycle ferry row sail"}, // its name is no way round
	} {
		for _, mode := range []app.Mode{app.ModeWords, app.ModeVector, app.ModeHybrid, app.ModeExact} {
			for _, fusion := range []app.Fusion{app.Weighted, app.RRF, app.SetUnion} {
				if fusion != app.Weighted && mode != app.ModeHybrid {
					continue
				}
				found := apptest.OK(a.Search(ctx, app.SearchRequest{Query: tc.query, Narrow: tc.narrow, Mode: mode, Fusion: fusion}))(t)
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
				if mode == app.ModeVector && !slices.Equal(got, allowed) {
					t.Errorf("%s %+v, %s: answers %v, not %v", tc.query, tc.narrow, mode, got, allowed)
				}
			}
		}
	}
	named := apptest.OK(a.Search(ctx, app.SearchRequest{Query: "sailing boat -temporary", Mode: app.ModeExact}))(t)
	if len(named.Items) != 1 || named.Items[0].Why.Exact != "title" {
		t.Errorf("a query names a page also beside what it excludes: %+v", named.Items)
	}
}
