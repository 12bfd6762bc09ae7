package links

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/doc/link"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/space"
	"github.com/cairn-kb/cairn/internal/store"
)

// Defaults and maximums of a request.
const (
	DefaultDepth, MaxDepth = 2, 10
	DefaultNodes, MaxNodes = 50, 1000
)

// AroundRequest asks for the pages around a page.
type AroundRequest struct {
	Times
	Depth     int // 0 is DefaultDepth
	Limit     int // of pages; 0 is DefaultNodes
	Direction api.Direction
	Types     []string // of links; none is all
}

// settle fills in defaults for missing values.
func (r AroundRequest) settle() (AroundRequest, error) {
	r.Depth, r.Limit = cmp.Or(r.Depth, DefaultDepth), cmp.Or(r.Limit, DefaultNodes)
	r.Direction = cmp.Or(r.Direction, api.Both)
	switch {
	case r.Depth < 1 || r.Depth > MaxDepth:
		return r, kb.Errorf(kb.Usage, "a depth is from 1 to %d", MaxDepth)
	case r.Limit < 1 || r.Limit > MaxNodes:
		return r, kb.Errorf(kb.Usage, "a graph has from 1 to %d pages", MaxNodes)
	case !slices.Contains([]api.Direction{api.Out, api.In, api.Both}, r.Direction):
		return r, kb.Errorf(kb.Usage, "invalid direction %q (want out, in or both)", r.Direction)
	}
	for i, t := range r.Types {
		r.Types[i] = kb.NameKey(t)
	}
	return r, nil
}

// Around returns the pages reachable by links from a page, nearest first, and at
// the same distance sorted by ref, with all links between them.
func Around(ctx context.Context, sess *memory.Session, page kb.Page, req AroundRequest) (out api.Graph, err error) {
	if req, err = req.settle(); err != nil {
		return out, err
	}
	if req.Times, err = req.Times.settle(api.Current, sess.Now()); err != nil {
		return out, err
	}
	w := walk{req: req, now: sess.Now(), at: map[int64]int{page.Row: 0}, hidden: map[kb.Link]bool{}}
	w.nodes = append(w.nodes, node{page, 0})
	err = sess.DB.View(ctx, func(tx store.Tx) error {
		more, err := true, error(nil)
		if w.may, err = space.MayShow(ctx, tx, sess.Spaces); err != nil {
			return err
		}
		for d := 1; d <= req.Depth && more && w.left == 0 && err == nil; d++ {
			more, err = w.step(ctx, tx, d)
		}
		if err != nil {
			return err
		}
		return w.between(ctx, tx)
	})
	out = w.graph(req.At)
	out.Root, out.Depth = page.Ref(), req.Depth
	return out, err
}

// walk is the state of a walk through the graph.
type walk struct {
	req    AroundRequest
	may    func(kb.Page) bool // see space.MayShow
	now    time.Time
	nodes  []node
	at     map[int64]int // index in nodes, by row
	from   int           // first node of the last step
	out    []kb.Link     // from the first nodes, as many as were read
	read   int
	links  []api.GraphLink
	hidden map[kb.Link]bool
	left   int
	behind bool // more distant pages were not read
}

type node struct {
	kb.Page
	distance int
}

// graph is the result for display.
func (w *walk) graph(at string) api.Graph {
	out := api.Graph{At: at, Nodes: []api.GraphNode{}, Links: w.links, Hidden: len(w.hidden), LeftOut: w.left, AtLeast: w.behind}
	for _, n := range w.nodes {
		out.Nodes = append(out.Nodes, api.GraphNode{
			Ref: n.Ref(), ID: n.ID, Title: n.Title, Type: n.Type, Status: n.Status, Distance: n.distance,
		})
	}
	return out
}

// step reaches the pages at the next distance. It returns false if there are none.
func (w *walk) step(ctx context.Context, tx store.Tx, distance int) (more bool, err error) {
	var last []int64
	for _, n := range w.nodes[w.from:] {
		last = append(last, n.Row)
	}
	var edges []kb.Link
	if w.req.Direction != api.In {
		if edges, err = tx.Links().EdgesFrom(ctx, last); err != nil {
			return false, err
		}
		w.out, w.read = append(w.out, edges...), len(w.nodes)
	}
	if w.req.Direction != api.Out {
		in, err := tx.Links().EdgesTo(ctx, last)
		if err != nil {
			return false, err
		}
		edges = append(edges, in...)
	}
	reached := map[int64]bool{}
	for _, l := range edges {
		if !w.follow(l) {
			continue
		}
		for _, row := range []int64{l.From, l.To} {
			if _, known := w.at[row]; !known {
				reached[row] = true
			}
		}
	}
	rows := make([]int64, 0, len(reached))
	for row := range reached {
		rows = append(rows, row)
	}
	slices.Sort(rows)
	places, err := tx.Pages().Places(ctx, rows)
	if err != nil {
		return false, err
	}
	places = slices.DeleteFunc(places, func(p kb.Page) bool { return !w.may(p) })
	room := min(w.req.Limit-len(w.nodes), len(places))
	rows = rows[:0]
	for _, p := range places[:room] {
		rows = append(rows, p.Row)
	}
	pages, err := tx.Pages().Get(ctx, rows)
	if err != nil {
		return false, err
	}
	w.from = len(w.nodes)
	for _, p := range pages {
		w.at[p.Row] = len(w.nodes)
		w.nodes = append(w.nodes, node{p, distance})
	}
	w.left = len(places) - room
	w.behind = w.left > 0 && distance < w.req.Depth
	return len(places) > 0, nil
}

// follow reports whether a link is followed, and counts one excluded by its time.
func (w *walk) follow(l kb.Link) bool {
	if l.From == l.To || len(w.req.Types) > 0 && !slices.Contains(w.req.Types, kb.NameKey(l.Type)) {
		return false
	}
	if !w.req.show(l) {
		w.hidden[l] = true
		return false
	}
	return true
}

// between finds the links between the nodes.
func (w *walk) between(ctx context.Context, tx store.Tx) error {
	var rows []int64
	for _, n := range w.nodes[w.read:] {
		rows = append(rows, n.Row)
	}
	edges, err := tx.Links().EdgesFrom(ctx, rows)
	if err != nil {
		return err
	}
	if len(w.out) > 0 {
		edges = append(w.out, edges...)
	}
	type place struct{ from, to, edge int }
	all := make([]place, 0, len(edges))
	for i, l := range edges {
		if to, shown := w.at[l.To]; shown {
			all = append(all, place{w.at[l.From], to, i})
		}
	}
	compare := func(a, b place) int {
		if c := cmp.Or(cmp.Compare(a.from, b.from), cmp.Compare(a.to, b.to)); c != 0 {
			return c
		}
		return cmp.Or(cmp.Compare(edges[a.edge].Type, edges[b.edge].Type), cmp.Compare(edges[a.edge].ValidFrom, edges[b.edge].ValidFrom))
	}
	slices.SortFunc(all, func(a, b place) int { return cmp.Or(compare(a, b), cmp.Compare(a.edge, b.edge)) })
	refs := make([]string, len(w.nodes))
	for i, n := range w.nodes {
		refs[i] = n.Ref()
	}
	w.links = make([]api.GraphLink, 0, len(all))
	nth, untils := 0, map[string]bool{} // of the links with the same ends, type and start
	for i, p := range all {
		if nth++; i == 0 || compare(all[i-1], p) != 0 {
			nth = 0
			clear(untils)
		}
		l := edges[p.edge]
		if !w.follow(l) || untils[l.ValidUntil] {
			continue
		}
		untils[l.ValidUntil] = true
		number := link.Edge{Page: w.nodes[p.from].ID, Type: l.Type, To: string(w.nodes[p.to].ID), Since: l.ValidFrom}.Number(nth)
		w.links = append(w.links, api.GraphLink{From: refs[p.from], To: refs[p.to], Type: l.Type, ValidFrom: l.ValidFrom, ValidUntil: l.ValidUntil, Ended: w.req.ended(l, w.now), ID: number})
	}
	return nil
}
