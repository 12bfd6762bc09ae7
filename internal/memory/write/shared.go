package write

import (
	"context"

	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory/index"
	"github.com/cairn-kb/cairn/internal/store"
)

// sharedIDs are the ids in changed documents that are written elsewhere, too,
// by the id of the space.
type sharedIDs map[kb.ID][]index.SharedID

// findShared looks for them. Docs are the targets of the items of the groups,
// in their order.
func findShared(ctx context.Context, tx store.Tx, groups []index.Group, docs []*target) (sharedIDs, error) {
	type part struct {
		row  int64
		docs []*index.Derived
		left []string
	}
	parts := map[kb.ID]*part{}
	n := 0
	for _, g := range groups {
		p := parts[g.Space.ID]
		if p == nil {
			p = &part{row: g.Space.Row}
			parts[g.Space.ID] = p
		}
		for _, it := range g.Items {
			if it.Derived != nil {
				p.docs = append(p.docs, it.Derived)
			}
			p.left = append(p.left, docs[n].path)
			n++
		}
	}
	out := sharedIDs{}
	for id, p := range parts {
		found, err := index.SharedWith(ctx, tx, p.row, p.docs, p.left)
		if err != nil {
			return nil, err
		}
		out[id] = found
	}
	return out, nil
}

// of returns the warnings that concern a document.
func (s sharedIDs) of(r *PageResult) []doc.Warning {
	if r.New == nil {
		return nil
	}
	var out []doc.Warning
	for _, x := range s[r.Page.SpaceID] {
		if x.StandsIn(r.Page.Path) {
			out = append(out, doc.Warning{Code: "shared-id", Text: x.String()})
		}
	}
	return out
}
