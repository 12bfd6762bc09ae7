package brief_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/brief"
	"github.com/cairn-kb/cairn/internal/memory/change"
	"github.com/cairn-kb/cairn/internal/memory/space"
	"github.com/cairn-kb/cairn/internal/test/apptest"
	"github.com/cairn-kb/cairn/internal/upkeep/gitsync"
)

// refs are those of the active pages of a brief.
func refs(b api.Brief) (out []string) {
	for _, n := range b.ActiveNodes {
		out = append(out, n.Ref)
	}
	return out
}

// A brief compares the 200 pages that changed last and those that they link to: of many
// links from older pages it knows nothing, unless the page is one of these.
func TestABriefLooksAtTheNewestPages(t *testing.T) {
	t.Parallel()
	b := apptest.New(t)
	b.Clock(time.Date(2026, 1, 10, 9, 0, 0, 0, time.UTC), time.Second)
	b.Opts.Space = "k"
	a := b.Open()
	ctx := t.Context()
	apptest.OK(gitsync.AddSpace(ctx, a, space.AddRequest{Name: "k", Database: true, Preset: "capture"}))(t)
	put := func(name, text string) {
		t.Helper()
		apptest.OK(change.Put(ctx, a, change.PutRequest{Ref: "k:" + name, Text: []byte(text + "\n")}))(t)
	}
	put("unseen", "Linked by old pages.")
	put("known", "Linked by old pages, and a new one.")
	put("stale", "---\nstatus: stale\n---\nNo more.")
	put("pinned", "---\ntags: [pinned]\n---\nOld, and pinned.")
	for i := range 8 {
		put(fmt.Sprint("old", i), "See [[unseen]], [[known]] and [[stale]].")
	}
	for i := range 199 {
		put(fmt.Sprint("new", i), "New.")
	}
	put("newest", "See [[known]] and [[stale]].")
	got := refs(apptest.OK(brief.ComposeContext(ctx, a, brief.GistRequest{Limit: 4}))(t))
	if want := []string{"k:pinned", "k:known", "k:newest", "k:new198"}; !slices.Equal(got, want) {
		t.Errorf("the brief names %v, want %v", got, want)
	}
	if got := refs(apptest.OK(brief.ComposeContext(ctx, a, brief.GistRequest{Limit: 1000}))(t)); len(got) != 211 || slices.Index(got, "k:unseen") != 2 {
		t.Errorf("a brief of all pages names %d, and unseen as number %d", len(got), slices.Index(got, "k:unseen"))
	}
	if got := refs(apptest.OK(brief.ComposeContext(ctx, a, brief.GistRequest{Recent: true}))(t)); !slices.Equal(got, []string{"k:newest", "k:new198", "k:new197"}) {
		t.Errorf("the newest are %v", got)
	}
}

// In a directory of no space the newest pages are named of all spaces that let it, the
// newest of any first.
func TestBriefElsewhere(t *testing.T) {
	t.Parallel()
	b := apptest.New(t)
	b.Clock(time.Date(2026, 1, 10, 9, 0, 0, 0, time.UTC), time.Second)
	a := b.Open()
	ctx := t.Context()
	for _, name := range []string{"client", "k", "other"} {
		apptest.OK(gitsync.AddSpace(ctx, a, space.AddRequest{Name: name, Database: true, Preset: "capture"}))(t)
	}
	apptest.OK(a.Spaces.Set(ctx, space.SetRequest{Name: "client", Key: "brief.elsewhere", Value: "false"}))(t)
	for i := range 3 {
		for _, name := range []string{"k", "other", "client"} {
			apptest.OK(change.Put(ctx, a, change.PutRequest{Ref: fmt.Sprintf("%s:p%d", name, i), Text: []byte("Text.\n")}))(t)
		}
	}
	apptest.OK(change.Put(ctx, a, change.PutRequest{Ref: "k:stale", Text: []byte("---\nstatus: stale\n---\nNo more.\n")}))(t)
	for limit, want := range map[int][]string{
		0: {"other:p2", "k:p2", "other:p1"}, 1: {"other:p2"}, 100: {"other:p2", "k:p2", "other:p1", "k:p1", "other:p0", "k:p0"},
	} {
		if got := refs(apptest.OK(brief.ComposeContext(ctx, a, brief.GistRequest{Limit: limit}))(t)); !slices.Equal(got, want) {
			t.Errorf("%d pages: %v, want %v", limit, got, want)
		}
	}
}
