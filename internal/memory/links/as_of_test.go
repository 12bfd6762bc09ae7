package links_test

import (
	"testing"
	"time"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory/change"
	"github.com/cairn-kb/cairn/internal/memory/links"
	"github.com/cairn-kb/cairn/internal/test/apptest"
)

// Links, graphs and maps as of a time are those of the pages of then.
func TestAsOf(t *testing.T) {
	t.Parallel()
	b := apptest.New(t)
	clock := b.Clock(time.Date(2026, 11, 3, 10, 0, 0, 0, time.UTC), time.Second)
	a := b.Open()
	put := func(ref, text string) {
		apptest.OK(change.Put(t.Context(), a, change.PutRequest{Ref: ref, Text: []byte(text), Overwrite: true}))(t)
	}
	put("mill", "# Mill\n")
	put("engine", "# Engine\n\nSee [[mill]].\n")
	clock.Set(time.Date(2026, 11, 5, 10, 0, 0, 0, time.UTC))
	put("engine", "# Engine\n")
	put("store", "# Store\n\nSee [[mill]].\n")
	for _, want := range []struct {
		asOf, from string
		pages      int
	}{{"2026-11-03", "memory:engine", 2}, {"2026-11-05", "memory:store", 3}, {"", "memory:store", 3}} {
		list := apptest.OK(links.List(t.Context(), a, api.LinksRequest{Ref: "mill", Way: api.In, AsOf: want.asOf}))(t)
		if len(list.Items) != 1 || list.Items[0].From != want.from {
			t.Errorf("as of %q: links from %+v, want %s", want.asOf, list.Items, want.from)
		}
		g := apptest.OK(links.AroundRef(t.Context(), a, api.GraphRequest{Ref: "memory:mill", AsOf: want.asOf}))(t)
		if len(g.Nodes) != 2 || g.Nodes[1].Ref != want.from {
			t.Errorf("as of %q: the graph has %+v", want.asOf, g.Nodes)
		}
		m := apptest.OK(links.MapPages(t.Context(), a, links.MapPagesRequest{AsOf: want.asOf}))(t)
		if len(m.Nodes) != want.pages || len(m.Links) != 1 {
			t.Errorf("as of %q: the map has %d pages, %d links", want.asOf, len(m.Nodes), len(m.Links))
		}
	}
	if _, err := links.List(t.Context(), a, api.LinksRequest{Ref: "store", AsOf: "2026-11-03"}); kb.CodeOf(err) != kb.NotFound {
		t.Errorf("a page that was not there yet: %v", err)
	}
}

// Of the links of a page those in some of its lines can be asked for, with the ids that they
// have among all.
func TestLinksInLines(t *testing.T) {
	t.Parallel()
	a := apptest.New(t).Open()
	apptest.OK(change.Put(t.Context(), a, change.PutRequest{Ref: "a", Text: []byte("[[b]]\n[[c]] [[b]]\n[[b]]\n[[d]]\n")}))(t)
	all := apptest.OK(links.List(t.Context(), a, api.LinksRequest{Ref: "a"}))(t)
	for _, tt := range []struct {
		lines    []int
		from, to int
	}{{[]int{2, 3}, 1, 4}, {[]int{4}, 4, 5}, {[]int{1, 9}, 0, 5}, {[]int{8, 9}, 0, 0}} {
		got := apptest.OK(links.List(t.Context(), a, api.LinksRequest{Ref: "a", Lines: tt.lines}))(t)
		if want := all.Items[tt.from:tt.to]; len(got.Items) != len(want) || got.Total != len(want) || len(want) > 0 && (got.Items[0].ID != want[0].ID || got.Items[len(want)-1].ID != want[len(want)-1].ID) {
			t.Errorf("lines %v: %+v, want %+v", tt.lines, got.Items, want)
		}
	}
	part := apptest.OK(links.List(t.Context(), a, api.LinksRequest{Ref: "a", Lines: []int{2, 4}, Limit: 2, Offset: 2}))(t)
	if len(part.Items) != 2 || part.Items[1].ID != all.Items[4].ID || part.Next != "" {
		t.Errorf("the second part is %+v", part)
	}
	if _, err := links.List(t.Context(), a, api.LinksRequest{Ref: "a", Way: api.In, Lines: []int{1}}); kb.CodeOf(err) != kb.Usage {
		t.Errorf("lines of links to a page: %v", err)
	}
	for _, lines := range [][]int{{3, 2}, {0}, {-1, 2}} {
		if _, err := links.List(t.Context(), a, api.LinksRequest{Ref: "a", Lines: lines}); kb.CodeOf(err) != kb.Usage {
			t.Errorf("lines %v: %v", lines, err)
		}
	}
}
