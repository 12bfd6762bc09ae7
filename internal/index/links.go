package index

import (
	"context"
	"maps"
	"slices"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/link"
	"github.com/cairn-kb/cairn/internal/store"
)

// settleLinks resolves the links that the batch's pages hold, and those of
// other pages that look for a name which came, went or moved. The work is in
// proportion to these links, not to the size of the space.
func (ch *changes) settleLinks(ctx context.Context, tx store.Tx) error {
	touched, err := tx.Links().ByPages(ctx, ch.pages)
	if err != nil {
		return err
	}
	sought, err := tx.Links().ByKeys(ctx, ch.space.Row, slices.Sorted(maps.Keys(ch.names)))
	if err != nil {
		return err
	}
	byRow := make(map[int64]store.Candidate, len(touched)+len(sought))
	keys := map[string]bool{}
	for _, c := range append(touched, sought...) {
		byRow[c.Row] = c
		keys[c.Key] = true
	}
	targets, err := TargetsByKey(ctx, tx, ch.space, slices.Sorted(maps.Keys(keys)))
	if err != nil {
		return err
	}
	var res []store.Resolution
	for _, row := range slices.Sorted(maps.Keys(byRow)) {
		c := byRow[row]
		rows := link.Resolve(link.Ref{Kind: c.Kind, Name: c.Name, FromPath: c.FromPath}, targets[c.Key])
		r := store.Resolution{Row: row, Candidates: len(rows)}
		if len(rows) == 1 {
			r.To = rows[0]
		}
		if r.To != c.To || r.Candidates != c.Candidates {
			res = append(res, r)
		}
	}
	return tx.Links().Resolve(ctx, res)
}

// TargetsByKey finds the pages that links with these keys may lead to: by
// name, and by id for keys that are ids.
func TargetsByKey(ctx context.Context, tx store.Tx, space kb.Space, keys []string) (map[string][]link.Page, error) {
	named, err := tx.Links().TargetsByKeys(ctx, space.Row, keys)
	if err != nil {
		return nil, err
	}
	out := make(map[string][]link.Page, len(keys))
	for _, t := range named {
		p := link.Page{Row: t.Page, ID: t.ID, Path: t.Path, Node: t.Node, Title: t.Title, Aliases: t.Aliases}
		for _, n := range t.Names {
			out[n] = append(out[n], p)
		}
	}
	var ids []kb.ID
	for _, k := range keys {
		if id, ok := kb.ParseID(k); ok {
			ids = append(ids, id)
		}
	}
	if len(ids) == 0 {
		return out, nil
	}
	holders, err := tx.Pages().Holders(ctx, space.Row, ids)
	if err != nil {
		return nil, err
	}
	for id, row := range holders {
		out[string(id)] = append(out[string(id)], link.Page{Row: row, ID: id})
	}
	return out, nil
}
