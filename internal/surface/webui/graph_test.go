package webui

import (
	"fmt"
	"slices"
	"testing"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/surface/webui/layout"
)

// ringOf is a map of n pages, each with a link to the next one.
func ringOf(n int) (g api.Graph) {
	for i := range n {
		g.Nodes = append(g.Nodes, api.GraphNode{Ref: fmt.Sprintf("notes:%04d", i), ID: kb.ID(fmt.Sprint(i))})
	}
	for i := range n {
		g.Links = append(g.Links, api.GraphLink{From: g.Nodes[i].Ref, To: g.Nodes[(i+1)%n].Ref})
	}
	return g
}

// Maps that are kept have the positions that they would have if they were computed again, and
// only some are kept.
func TestLayoutsAreKept(t *testing.T) {
	t.Parallel()
	var all layouts
	of := func(n int) []layout.Point { return all.of(fmt.Sprint(n), ringOf(n)) }
	for _, n := range []int{3, 4, 5, 3, 6, 7, 8, 3, 4} {
		if want := layout.Fit(layout.Compute(n, edgesOf(ringOf(n)), layout.Rounds(n))); !slices.Equal(of(n), want) {
			t.Errorf("%d pages are at %v, want %v", n, of(n), want)
		}
	}
	if one, other := of(4), of(4); &one[0] != &other[0] {
		t.Error("a map is computed again")
	}
	if len(all.kept) != layoutsKept {
		t.Errorf("%d maps are kept", len(all.kept))
	}
}

// A page that is added, removed or linked moves itself and those next to it. The others stay, as
// all do where a page has another name, and the same changes lead to the same map.
func TestMapAfterAChange(t *testing.T) {
	t.Parallel()
	const n = 300
	before := ringOf(n)
	linked, added, removed, renamed := ringOf(n), ringOf(n), ringOf(n), ringOf(n)
	linked.Links = append(linked.Links, api.GraphLink{From: before.Nodes[10].Ref, To: before.Nodes[150].Ref})
	added.Nodes = slices.Insert(added.Nodes, 0, api.GraphNode{Ref: "notes:!"})
	added.Links = append(added.Links, api.GraphLink{From: "notes:!", To: before.Nodes[10].Ref})
	removed.Nodes = removed.Nodes[1:]
	removed.Links = slices.DeleteFunc(removed.Links, func(l api.GraphLink) bool {
		return l.From == before.Nodes[0].Ref || l.To == before.Nodes[0].Ref
	})
	last := renamed.Nodes[20]
	last.Ref = "notes:renamed"
	renamed.Nodes = append(slices.Delete(renamed.Nodes, 20, 21), last)
	renamed.Links[19].To, renamed.Links[20].From = last.Ref, last.Ref
	for name, tt := range map[string]struct {
		g     api.Graph
		moved []int // numbers in before
	}{
		"linked":  {linked, []int{9, 10, 11, 149, 150, 151}},
		"added":   {added, []int{9, 10, 11}},
		"removed": {removed, []int{1, 2, 298, 299}},
		"renamed": {renamed, nil},
	} {
		place := func() map[string]layout.Point {
			var all layouts
			all.of("map", before)
			all.of("map", tt.g)
			out := map[string]layout.Point{}
			for i, node := range tt.g.Nodes {
				out[node.Ref] = all.kept[0].at[i]
			}
			return out
		}
		at, again := place(), place()
		start := layout.Compute(n, edgesOf(before), layout.Rounds(n))
		for i, node := range before.Nodes {
			now, ok := at[node.Ref]
			if moved := slices.Contains(tt.moved, i); ok && (now != start[i]) != moved {
				t.Errorf("%s: page %d moves from %v to %v", name, i, start[i], now)
			}
			if now != again[node.Ref] {
				t.Errorf("%s: page %d is at %v and at %v", name, i, now, again[node.Ref])
			}
		}
	}
}

// Many changes lay a map out again.
func TestMapAfterManyChanges(t *testing.T) {
	t.Parallel()
	const n = 40
	var all layouts
	g := ringOf(n)
	for i := range 3 {
		all.of("map", g)
		g.Links = append(g.Links, api.GraphLink{From: g.Nodes[i].Ref, To: g.Nodes[i+20].Ref})
	}
	if want := layout.Fit(layout.Compute(n, edgesOf(g), layout.Rounds(n))); !slices.Equal(all.of("map", g), want) {
		t.Error("the map is not laid out again")
	}
}

// A map does not wait for another that is laid out.
func TestMapsDoNotWait(t *testing.T) {
	t.Parallel()
	var all layouts
	all.of("slow", ringOf(3))
	all.kept[0].mu.Lock()
	defer all.kept[0].mu.Unlock()
	if at := all.of("other", ringOf(4)); len(at) != 4 {
		t.Errorf("%d pages are placed", len(at))
	}
}

// The largest groups of linked pages have colours, after the page with most links.
func TestColoursByLinks(t *testing.T) {
	t.Parallel()
	var g api.Graph
	for star := range mapColours + 2 {
		hub := fmt.Sprintf("notes:hub%d", star)
		g.Nodes = append(g.Nodes, api.GraphNode{Ref: hub, Title: fmt.Sprintf("Hub %d", star)})
		for leaf := range 20 - star {
			ref := fmt.Sprintf("%s-%d", hub, leaf)
			g.Nodes = append(g.Nodes, api.GraphNode{Ref: ref})
			g.Links = append(g.Links, api.GraphLink{From: ref, To: hub})
		}
	}
	names, _ := new(drawnMap).communities(g)
	i := 0
	for star := range mapColours + 2 {
		want := ""
		if star < mapColours {
			want = fmt.Sprintf("around Hub %d", star)
		}
		for range 21 - star {
			if got := names[i]; got != want {
				t.Errorf("%s is %q, want %q", g.Nodes[i].Ref, got, want)
			}
			i++
		}
	}
}

// A community keeps its colour when it grows, when it is called after another page, and next to
// others that come and go.
func TestColoursAreKept(t *testing.T) {
	t.Parallel()
	star := func(g *api.Graph, name string, leaves int) {
		hub := "notes:" + name
		g.Nodes = append(g.Nodes, api.GraphNode{ID: kb.ID(name), Ref: hub, Title: name})
		for leaf := range leaves {
			ref := fmt.Sprintf("%s-%d", hub, leaf)
			g.Nodes = append(g.Nodes, api.GraphNode{ID: kb.ID(ref), Ref: ref})
			g.Links = append(g.Links, api.GraphLink{From: ref, To: hub})
		}
	}
	var before, after api.Graph
	star(&before, "moss", 12)
	star(&before, "stone", 9)
	star(&before, "fern", 5)
	star(&after, "stone", 30)
	star(&after, "sand", 20)
	star(&after, "moss", 12)
	for leaf := range 14 { // they link to another page now, which gives the community its name
		to := "notes:moss-0"
		if leaf > 11 {
			ref := fmt.Sprintf("notes:new-%d", leaf)
			after.Nodes = append(after.Nodes, api.GraphNode{ID: kb.ID(ref), Ref: ref})
			after.Links = append(after.Links, api.GraphLink{From: ref, To: to})
		} else if leaf > 0 {
			after.Links = append(after.Links, api.GraphLink{From: fmt.Sprintf("notes:moss-%d", leaf), To: to})
		}
	}
	var all layouts
	_, had := all.find("map").communities(before)
	names, has := all.find("map").communities(after)
	at := slices.IndexFunc(after.Nodes, func(n api.GraphNode) bool { return n.Ref == "notes:moss-3" })
	if names[at] == "around moss" {
		t.Fatal("the community has the same name")
	}
	if has["around stone"] != had["around stone"] || has[names[at]] != had["around moss"] || len(has) != 3 {
		t.Errorf("the colours were %v and are %v", had, has)
	}
}

// The colours of types and folders follow from their names, and each group has its own.
func TestColoursOfNames(t *testing.T) {
	t.Parallel()
	few, more := coloursOf([]string{"person", "place", ""}, nil), coloursOf([]string{"place", "thing", "person", "day"}, nil)
	if _, ok := few[""]; ok || few["place"] != more["place"] {
		t.Errorf("the colours are %v, and of more groups %v", few, more)
	}
	taken := map[int]bool{}
	for _, c := range more {
		taken[c] = true
	}
	if len(taken) != len(more) {
		t.Errorf("groups share colours: %v", more)
	}
}
