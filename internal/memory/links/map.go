package links

import (
	"context"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/store"
)

// MaxMap is the maximum number of pages of a map. Browsers still draw it smoothly.
const MaxMap = 10_000

// MapRequest asks for the pages of a space and the links between them.
type MapRequest struct {
	Times
	Filter store.Filter // of pages; its spaces are those of the caller
	All    bool         // of every space
	Limit  int          // of pages; 0 is MaxNodes
}

// Map returns the pages that match a filter, sorted by ref, with all links between
// them.
func Map(ctx context.Context, sess *memory.Session, req MapRequest) (out api.Graph, err error) {
	out = api.Graph{Nodes: []api.GraphNode{}, Links: []api.GraphLink{}}
	if req.Limit == 0 {
		req.Limit = MaxNodes
	}
	if req.Limit < 1 || req.Limit > MaxMap {
		return out, kb.Errorf(kb.Usage, "a map has from 1 to %d pages", MaxMap)
	}
	if req.Times, err = req.Times.settle(api.Current, sess.Now()); err != nil {
		return out, err
	}
	w := walk{req: AroundRequest{Times: req.Times}, now: sess.Now(), at: map[int64]int{}, hidden: map[kb.Link]bool{}}
	err = sess.DB.View(ctx, func(tx store.Tx) error {
		if req.Filter.Spaces, err = sess.Spaces.ScopeTx(ctx, tx, req.All); err != nil {
			return err
		}
		pages, total, err := tx.Pages().List(ctx, req.Filter, store.BySlug, req.Limit, 0)
		if err != nil {
			return err
		}
		for _, p := range pages {
			w.at[p.Row] = len(w.nodes)
			w.nodes = append(w.nodes, node{Page: p})
		}
		w.left = total - len(pages)
		return w.between(ctx, tx)
	})
	if err != nil {
		return out, err
	}
	return w.graph(req.At), nil
}
