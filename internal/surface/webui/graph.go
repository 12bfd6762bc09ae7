package webui

import (
	"cmp"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"html"
	"maps"
	"math"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/kb/safetext"
	"github.com/cairn-kb/cairn/internal/surface/webui/layout"
)

const (
	mapPages = 10_000 // of the map of a space, at most
	mapList  = 1000   // of them in the list next to it
)

// graph is the pages around one, or the map of a space.
func graph(v *view) (page, error) {
	if ref := v.param("ref"); ref != "" {
		return v.graphAround(ref)
	}
	in := args{"limit": mapPages}
	all, err := v.ask("spaces", nil)
	if err != nil {
		return page{}, err
	}
	spaces := all.list("items")
	if len(spaces) == 0 {
		return page{title: "Graph", place: "/graph", body: nodes{el("h1", "Graph"), v.noMemory()}}, nil
	}
	chosen := v.param("space")
	if chosen == "" && len(spaces) > 0 {
		chosen = spaces[0].str("name")
		for _, s := range spaces {
			if s.yes("default") {
				chosen = s.str("name")
			}
		}
	}
	if chosen != "" {
		in["space"] = chosen
	}
	v.narrowMap(in)
	answer, err := v.asked("map", in)
	if err != nil {
		return page{}, err
	}
	found := answer.(drawing).Drawing()
	pages := found.Nodes
	by, group, had := v.groups(found, in)
	groups := map[string]int{}
	for i := range pages {
		groups[group(i)]++
	}
	names := sorted(groups)
	slices.SortStableFunc(names, func(a, b string) int {
		if a == "" || b == "" { // without a colour
			return cmp.Compare(b, a)
		}
		return groups[b] - groups[a]
	})
	colours := coloursOf(names, had)
	var body node = empty("No pages to draw", el("p", "A map shows the pages of a space and the links between them."))
	if len(pages) > 0 {
		body = el("div.graph",
			el("div",
				el("canvas.map", attr{"id", "map"}, attr{"tabindex", "0"}, attr{"role", "img"},
					attr{"data-from", v.base + "/graph.json?" + v.graphQuery(chosen)}, attr{"data-base", v.base},
					attr{"aria-label", fmt.Sprintf("Map of %s: %d pages, %d links. The list has the same pages.", chosen, len(pages), len(found.Links))}),
				el("p.quiet.small", "Drag to move, scroll to zoom, click a page to open it. Without scripts, use the list.")),
			el("div",
				el("ul.legend", each(names, func(g string) node {
					dot := el("span", attr{"data-type", g}, attr{"data-colour", fmt.Sprint(colours[g])})
					switch by {
					case byFolder:
						return el("li", dot, cmp.Or(g, "no folder"), " · "+thousands(groups[g]))
					case byLinks:
						return el("li", dot, cmp.Or(g, "others"), " · "+thousands(groups[g]))
					}
					return el("li", el("a", href(v.with("type", g)), dot, cmp.Or(g, "no type")), " · "+thousands(groups[g]))
				})),
				el("ul.list", attr{"tabindex", "0"}, attr{"aria-label", "Pages of the map"}, each(pages[:min(mapList, len(pages))], func(n api.GraphNode) node { return el("li", v.pageLink(n.Ref, n.Title)) })),
				opt(len(pages) > mapList, el("p.quiet.small", fmt.Sprintf("The list has the first %d pages.", mapList)))))
	}
	return page{title: "Graph", place: "/graph", body: nodes{
		el("h1", "Graph"),
		el("form.filters", attr{"method", "get"},
			el("label", "Space ", el("select", attr{"name", "space"}, each(spaces, func(s data) node {
				return el("option", flag(s.str("name") == chosen, "selected", ""), s.str("name"))
			}))),
			el("label", "Tag ", el("input", attr{"type", "text"}, attr{"name", "tag"}, attr{"value", v.param("tag")}, attr{"size", "6"})),
			el("label", "Type ", el("input", attr{"type", "text"}, attr{"name", "type"}, attr{"value", v.param("type")}, attr{"size", "6"})),
			el("label", "Since ", el("input", attr{"type", "date"}, attr{"name", "after"}, attr{"value", v.param("after")})),
			el("label", "Before ", el("input", attr{"type", "date"}, attr{"name", "before"}, attr{"value", v.param("before")})),
			el("label", "Colours ", el("select", attr{"name", "by"},
				each([]string{byType, byFolder, byLinks}, func(name string) node {
					return el("option", attr{"value", name}, flag(by == name, "selected", ""), "by "+name)
				}))),
			el("button", attr{"type", "submit"}, "Draw"),
			el("label", "Find ", el("input", attr{"type", "search"}, attr{"id", "map-find"}, attr{"size", "8"}, attr{"data-scripts", "1"}))),
		el("p.quiet.small", count(len(pages), "page", "pages")+", "+count(len(found.Links), "link", "links"),
			opt(found.LeftOut > 0, text("; "+count(found.LeftOut, "more page is", "more pages are")+" not drawn: choose a tag or a type"))),
		notesOf(answer.(drawing).Said()), body}}, nil
}

// drawing is an answer with a graph.
type drawing interface {
	Drawing() api.Graph
	Said() []string
}

// What the colours of a map show.
const (
	byType   = "type"
	byFolder = "folder"
	byLinks  = "links"
)

const (
	groupedShare = 4 // one of so many pages has a type, or is in a folder, for maps to be coloured by that
	mapColours   = 8 // there are so many
)

// groups is how the pages of a map are coloured: as chosen, or else by their type or folder where
// enough have one, or by their links: then it returns the colours that the groups had before.
func (v *view) groups(g api.Graph, in args) (by string, group func(i int) string, had map[string]int) {
	folder := func(i int) string {
		_, slug, _ := strings.Cut(g.Nodes[i].Ref, ":")
		if folder, _, ok := strings.Cut(slug, "/"); ok {
			return folder
		}
		return ""
	}
	ofType := func(i int) string { return g.Nodes[i].Type }
	enough := func(group func(i int) string) bool {
		n := 0
		for i := range g.Nodes {
			if group(i) != "" {
				n++
			}
		}
		return n > 0 && n*groupedShare >= len(g.Nodes)
	}
	switch by = v.param("by"); {
	case by == byType, by == byFolder, by == byLinks:
	case enough(ofType):
		by = byType
	case enough(folder):
		by = byFolder
	default:
		by = byLinks
	}
	switch by {
	case byType:
		return by, ofType, nil
	case byFolder:
		return by, folder, nil
	}
	names, had := v.layouts.find(v.mapKey(in)).communities(g)
	return by, func(i int) string { return names[i] }, had
}

// mapKey names a map among those that are kept.
func (v *view) mapKey(in args) string { return fmt.Sprint(v.then(find("map"), in)) }

// coloursOf gives groups, the largest first, their colours: those that they had, else those that
// follow from their names, so that no group has another colour because it grew. More groups than
// colours share them.
func coloursOf(groups []string, had map[string]int) map[string]int {
	out, taken := map[string]int{}, map[int]bool{}
	give := func(group string, c int) {
		for len(taken) < mapColours && taken[c] {
			c = (c + 1) % mapColours
		}
		out[group], taken[c] = c, true
	}
	for _, g := range groups {
		if c, ok := had[g]; ok && !taken[c] {
			give(g, c)
		}
	}
	for _, g := range groups {
		if _, ok := out[g]; !ok && g != "" {
			h := fnv.New32a()
			_, _ = h.Write([]byte(g))
			give(g, int(h.Sum32()%mapColours))
		}
	}
	return out
}

// communities returns of each page of a map the group that it is coloured by: the communities with
// most pages have one, after the page with most links. It also returns the colours that they had,
// those of most of their pages, whichever page names the community now.
func (m *drawnMap) communities(g api.Graph) (names []string, colours map[string]int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	edges := edgesOf(g)
	of, size := layout.Communities(len(g.Nodes), edges), map[int]int{}
	for _, c := range of {
		size[c]++
	}
	most := slices.SortedFunc(maps.Keys(size), func(a, b int) int { return cmp.Or(cmp.Compare(size[b], size[a]), cmp.Compare(a, b)) })
	most = slices.DeleteFunc(most[:min(mapColours, len(most))], func(c int) bool { return size[c] < 2 })
	names, colours = make([]string, len(g.Nodes)), map[string]int{}
	var groups []string
	for _, c := range most {
		name, before := "around "+cmp.Or(g.Nodes[c].Title, g.Nodes[c].Ref), map[int]int{}
		groups = append(groups, name)
		for i, n := range g.Nodes {
			if of[i] != c {
				continue
			}
			names[i] = name
			if colour, ok := m.colours[n.ID]; ok {
				before[colour]++
			}
		}
		for colour, pages := range before {
			if 2*pages > size[c] {
				colours[name] = colour
			}
		}
	}
	colours = coloursOf(groups, colours)
	m.colours = make(map[kb.ID]int, len(g.Nodes))
	for i, n := range g.Nodes {
		if names[i] != "" {
			m.colours[n.ID] = colours[names[i]]
		}
	}
	return names, colours
}

// edgesOf are the links between the pages of a map.
func edgesOf(g api.Graph) []layout.Edge {
	at := make(map[string]int, len(g.Nodes))
	for i, n := range g.Nodes {
		at[n.Ref] = i
	}
	edges := make([]layout.Edge, 0, len(g.Links))
	for _, l := range g.Links {
		from, ok := at[l.From]
		to, too := at[l.To]
		if ok && too && from != to {
			edges = append(edges, layout.Edge{From: from, To: to})
		}
	}
	return edges
}

// narrowMap leaves out of a map what its filters do.
func (v *view) narrowMap(in args) {
	for name, to := range map[string]string{"type": "type", "tag": "tags"} {
		if x := v.param(name); x != "" {
			in[to] = []string{x}
		}
	}
	for _, name := range []string{"after", "before"} {
		if x := v.param(name); x != "" {
			in[name] = x
		}
	}
}

func (v *view) graphQuery(space string) string {
	out := "space=" + url.QueryEscape(space)
	for _, name := range []string{"type", "tag", "after", "before", "by"} {
		if x := v.param(name); x != "" {
			out += "&" + name + "=" + url.QueryEscape(x)
		}
	}
	return out
}

// graphAround is the pages around one.
func (v *view) graphAround(ref string) (page, error) {
	depth := 2
	if v.param("depth") == "1" {
		depth = 1
	}
	drawn, err := v.neighbours(ref, depth, 60, 760)
	if err != nil {
		return page{}, err
	}
	found, err := v.run(find("graph"), v.calls[len(v.calls)-1].args)
	if err != nil {
		return page{}, err
	}
	title := ref
	for _, n := range found.list("nodes") {
		if n.str("ref") == found.str("root") {
			title = cmp.Or(n.str("title"), ref)
		}
	}
	var shown node = empty("No links lead from or to this page")
	if drawn != nil {
		shown = drawn
	}
	return page{title: "Around " + title, place: "/graph", body: nodes{
		el("div.crumbs", el("a", href(v.pageAt(ref)), ref)), el("h1", "Around "+title),
		el("div.tabs", v.tab("One link away", depth == 1, "depth", "1"), v.tab("Two links away", depth == 2, "depth", ""),
			el("span.end", opt(found.num("left_out") > 0, text(count(found.num("left_out"), "more page is", "more pages are")+" not drawn")))),
		el("div.graph", shown, el("ul.list", attr{"tabindex", "0"}, attr{"aria-label", "Pages in the drawing"}, each(found.list("nodes"), func(n data) node {
			return el("li", v.pageLink(n.str("ref"), n.str("title")), opt(n.num("distance") > 1, el("span.quiet", " · 2 links")))
		})))}}, nil
}

// neighbours draws the pages around one; nil when there are none.
func (v *view) neighbours(ref string, depth, limit int, width float64) (node, error) {
	found, err := v.ask("graph", args{"ref": ref, "depth": depth, "limit": limit})
	if err != nil {
		return nil, err
	}
	pages := found.list("nodes")
	if len(pages) < 2 {
		return nil, nil
	}
	at := map[string]int{}
	for i, n := range pages {
		at[n.str("ref")] = i
	}
	var edges []layout.Edge
	links := found.list("links")
	for _, l := range links {
		edges = append(edges, layout.Edge{From: at[l.str("from")], To: at[l.str("to")]})
	}
	points := layout.Fit(layout.Compute(len(pages), edges, layout.Rounds(len(pages))))
	height := math.Round(width * .75)
	side := .12
	if width < 400 {
		side = .2
	}
	x := func(p layout.Point) float64 { return width*side + p.X*width*(1-2*side) }
	y := func(p layout.Point) float64 { return 16 + p.Y*(height-40) }
	var b strings.Builder
	kind := "map"
	if width < 400 {
		kind = "map small-map"
	}
	fmt.Fprintf(&b, `<svg class="%s" viewBox="0 0 %g %g" role="group" aria-label="Pages around this one">`, kind, width, height)
	for i, e := range edges {
		ended := ""
		if links[i].yes("ended") {
			ended = ` class="ended"`
		}
		fmt.Fprintf(&b, `<line%s x1="%.1f" y1="%.1f" x2="%.1f" y2="%.1f"/>`, ended, x(points[e.From]), y(points[e.From]), x(points[e.To]), y(points[e.To]))
	}
	room := 26
	if width < 400 {
		room = 16
	}
	wide, narrow := labels{high: 14, runeWidth: 6.2}, labels{high: 24, runeWidth: 11}
	for i, n := range pages {
		class, radius := "near", 5.0
		switch n.num("distance") {
		case 0:
			class, radius = "root", 7
		case 1:
		default:
			class, radius = "far", 4
		}
		title := safetext.Line(cmp.Or(n.str("title"), n.str("ref")))
		short := []rune(title)
		if len(short) > room {
			short = append(short[:room-1], '…')
		}
		fmt.Fprintf(&b, `<a class="%s" href="%s"><title>%s</title><circle cx="%.1f" cy="%.1f" r="%g"/>`, class, html.EscapeString(v.pageAt(n.str("ref"))), html.EscapeString(title), x(points[i]), y(points[i]), radius)
		if width >= 400 || len(pages) <= 9 || class == "root" {
			crowded := ""
			switch {
			case width < 400:
			case !wide.fits(x(points[i]), y(points[i]), len(short)):
				crowded = ` class="crowded"`
			case !narrow.fits(x(points[i]), y(points[i]), len(short)):
				crowded = ` class="narrow-crowded"`
			}
			fmt.Fprintf(&b, `<text%s x="%.1f" y="%.1f" text-anchor="middle">%s</text>`, crowded, x(points[i]), y(points[i])+radius+11, html.EscapeString(string(short)))
		}
		b.WriteString("</a>")
	}
	b.WriteString("</svg>")
	return trusted(b.String()), nil
}

// labels are the names in a drawing that have a place so far.
type labels struct {
	high, runeWidth float64
	taken           [][3]float64 // of each: x, y, and half of its width
}

// fits takes the place of a name, if no other has it.
func (l *labels) fits(x, y float64, runes int) bool {
	half := float64(runes) * l.runeWidth / 2
	for _, t := range l.taken {
		if math.Abs(t[0]-x) < t[2]+half && math.Abs(t[1]-y) < l.high {
			return false
		}
	}
	l.taken = append(l.taken, [3]float64{x, y, half})
	return true
}

// layoutsKept is how many maps keep their positions. One of 10,000 pages and 40,000 links has
// 1.5 MB, and takes a second to compute.
const layoutsKept = 4

// anewShare is the share of the pages of a map that may have changed, one in so many, before all
// are laid out again.
const anewShare = 10

// layouts are the positions of the maps that were drawn last.
type layouts struct {
	mu   sync.Mutex
	kept []*drawnMap // that which was asked for last first
}

// drawnMap is a map as it was drawn. Where few of its pages changed, the others stay where they are.
type drawnMap struct {
	key string

	mu      sync.Mutex // held while it is laid out
	ids     []kb.ID
	edges   []layout.Edge
	at      []layout.Point
	shown   []layout.Point
	changed int // pages since all were laid out

	colours map[kb.ID]int // of the pages, by their communities
}

// find returns the map with a key.
func (l *layouts) find(key string) *drawnMap {
	l.mu.Lock()
	defer l.mu.Unlock()
	at := slices.IndexFunc(l.kept, func(m *drawnMap) bool { return m.key == key })
	m := &drawnMap{key: key}
	if at >= 0 {
		m = l.kept[at]
		l.kept = slices.Delete(l.kept, at, at+1)
	}
	l.kept = slices.Insert(l.kept, 0, m)
	l.kept = l.kept[:min(len(l.kept), layoutsKept)]
	return m
}

// of returns the positions of the pages of a map. Maps with other keys do not wait for it.
func (l *layouts) of(key string, g api.Graph) []layout.Point {
	m := l.find(key)
	m.mu.Lock()
	defer m.mu.Unlock()
	ids, edges := make([]kb.ID, len(g.Nodes)), edgesOf(g)
	for i, n := range g.Nodes {
		ids[i] = n.ID
	}
	if m.shown == nil || !slices.Equal(m.ids, ids) || !slices.Equal(m.edges, edges) {
		m.draw(ids, edges)
	}
	return m.shown
}

// draw lays the map out with other pages or links.
func (m *drawnMap) draw(ids []kb.ID, edges []layout.Edge) {
	at, fresh, changed := m.since(ids, edges)
	m.changed += len(fresh) + len(changed)
	if m.changed > len(ids)/anewShare {
		m.changed, at = 0, layout.Compute(len(ids), edges, layout.Rounds(len(ids)))
	} else {
		layout.Adjust(at, edges, fresh, changed)
	}
	m.ids, m.edges, m.at, m.shown = ids, edges, at, layout.Fit(at)
}

// since returns where pages were drawn, which were not, and which had other links.
func (m *drawnMap) since(ids []kb.ID, edges []layout.Edge) (at []layout.Point, fresh, changed []int) {
	before := make(map[kb.ID]int, len(m.ids))
	for i, id := range m.ids {
		before[id] = i
	}
	at, now := make([]layout.Point, len(ids)), make([]int, len(m.ids)) // the number of a page, from 1; 0 for none
	known, differs := make([]bool, len(ids)), make([]bool, len(ids)+1)
	for i, id := range ids {
		if old, ok := before[id]; ok {
			at[i], now[old], known[i] = m.at[old], i+1, true
		} else {
			fresh = append(fresh, i)
		}
	}
	links := make(map[layout.Edge]int, len(edges))
	for _, e := range m.edges {
		switch from, to := now[e.From], now[e.To]; {
		case from > 0 && to > 0:
			links[layout.Edge{From: from - 1, To: to - 1}]++
		default:
			differs[max(from, to)] = true
		}
	}
	for _, e := range edges {
		links[e]--
	}
	for e, n := range links {
		if n != 0 {
			differs[e.From+1], differs[e.To+1] = true, true
		}
	}
	for i, is := range differs[1:] {
		if is && known[i] {
			changed = append(changed, i)
		}
	}
	return at, fresh, changed
}

// graphData is the map of a space with positions, for the canvas.
func (s *Server) graphData(w http.ResponseWriter, r *http.Request, by kb.Actor) {
	v := &view{Server: s, ctx: r.Context(), r: r, by: by}
	in := args{"limit": mapPages}
	if x := v.param("space"); x != "" {
		in["space"] = x
	}
	v.narrowMap(in)
	answer, err := v.perform(find("map"), in)
	if err != nil {
		s.refuse(w, failed(err).status, kb.AsError(err).Error())
		return
	}
	g := answer.(drawing).Drawing()
	points := s.layouts.of(v.mapKey(in), g)
	_, group, _ := v.groups(g, in)
	nodes := make([]any, len(g.Nodes))
	for i, n := range g.Nodes {
		nodes[i] = []any{n.Ref, safetext.Line(cmp.Or(n.Title, n.Ref)), safetext.Line(group(i)), math.Round(points[i].X*1e4) / 1e4, math.Round(points[i].Y*1e4) / 1e4}
	}
	flat := []int{}
	for _, e := range edgesOf(g) {
		flat = append(flat, e.From, e.To)
	}
	text, err := json.Marshal(map[string]any{"nodes": nodes, "edges": flat})
	if err != nil {
		s.refuse(w, http.StatusInternalServerError, "The map cannot be written.")
		return
	}
	v.send(w, http.StatusOK, "application/json", text)
}
