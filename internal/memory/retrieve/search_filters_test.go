package retrieve_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/memory/links"
	"github.com/cairn-kb/cairn/internal/memory/read"
	"github.com/cairn-kb/cairn/internal/memory/retrieve"
	"github.com/cairn-kb/cairn/internal/memory/space"
	"github.com/cairn-kb/cairn/internal/test/apptest"
	"github.com/cairn-kb/cairn/internal/upkeep/gitsync"
)

// A query of filters alone lists what they let through by ref, read in parts or
// not, and the work depends on how much is shown.
func TestFiltersAloneList(t *testing.T) {
	// Serial: it counts allocations.
	b := apptest.New(t)
	a, ctx := b.Open(), t.Context()
	var want []string
	const n = 150
	for _, name := range []string{"n", "n-b"} { // "n-b:…" is before "n:…"
		files := map[string]string{}
		for i := range n {
			slug := []string{"p%03d", "p-%03d", "p/%03d"}[i%3]
			slug = fmt.Sprintf(slug, i)
			tags := "[even]"
			if i%2 == 1 {
				tags = "[odd]"
			} else {
				want = append(want, name+":"+slug)
			}
			files[slug+".md"] = "---\ntags: " + tags + "\n---\nText.\n"
		}
		apptest.OK(gitsync.AddSpace(ctx, a, space.AddRequest{Root: b.Dir(name, files), Name: name}))(t)
	}
	apptest.OK(gitsync.Sync(ctx, a, gitsync.SyncRequest{Space: "*"}))(t)
	slices.Sort(want)
	list := func(q string, limit, offset int) (refs []string, total int) {
		r := apptest.OK(read.Search(ctx, a, retrieve.SearchRequest{Query: q, All: true, Mode: api.ModeHybrid, Limit: limit, Offset: offset}))(t)
		for _, h := range r.Items {
			refs = append(refs, h.Ref)
			if h.Snippet != "Text." || h.Score != 0 || h.Why.Exact != "" {
				t.Errorf("%s: %+v", q, h)
			}
		}
		return refs, r.Total
	}
	only := func(space string) []string {
		return slices.DeleteFunc(slices.Clone(want), func(ref string) bool { return !strings.HasPrefix(ref, space+":") })
	}
	for q, want := range map[string][]string{
		"tag:even": want, "-tag:odd": want, "tag:even space:n": only("n"), "tag:even -space:n": only("n-b"),
		"tag:even space:n space:n": only("n"), "tag:even space:none": nil, "tag:even tag:odd": nil,
		"tag:even after:2000-01-01 -before:2000-01-01": want,
	} {
		if got, total := list(q, 1000, 0); !slices.Equal(got, want) || total != len(want) {
			t.Errorf("%s: %d of %d, %q", q, len(got), total, got)
		}
		var parts []string
		for at := 0; at < len(want)+7; at += 7 {
			got, total := list(q, 7, at)
			if parts = append(parts, got...); total != len(want) {
				t.Errorf("%s from %d: total %d", q, at, total)
			}
		}
		if !slices.Equal(parts, want) {
			t.Errorf("%s, in parts: %q", q, parts)
		}
	}
	allocs := testing.AllocsPerRun(3, func() { list("tag:even", 1, 0) })
	if allocs > 10*n {
		t.Errorf("%.0f allocations to show one of %d pages", allocs, n)
	}
}

// Pages of one path in two spaces are each read for themselves.
func TestUnlinkedOfEqualPaths(t *testing.T) {
	t.Parallel()
	b := apptest.New(t)
	a, ctx := b.Open(), t.Context()
	for name, text := range map[string]string{"one": "See Harbour.\n", "two": "Nothing.\n"} {
		files := map[string]string{"n.md": text, name + ".md": "---\ntitle: Harbour\n---\n"}
		apptest.OK(gitsync.AddSpace(ctx, a, space.AddRequest{Root: b.Dir(name, files), Name: name}))(t)
	}
	apptest.OK(gitsync.Sync(ctx, a, gitsync.SyncRequest{Space: "*"}))(t)
	found := apptest.OK(links.UnlinkedIn(ctx, a, "", links.UnlinkedRequest{}))(t)
	if found.Total == 0 {
		t.Error("no name is found")
	}
	for _, f := range found.Items {
		if f.From != "one:n" {
			t.Errorf("%s names %s", f.From, f.To)
		}
	}
}
