package index

import (
	"context"
	"iter"
	"maps"
	"slices"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/link"
	"github.com/cairn-kb/cairn/internal/store"
)

// settleLinks writes the links that the documents of put hold, each with where
// it leads, and leads those of other pages anew that look for a name which
// came, went or moved. The work is in proportion to these links, not to the
// size of the space.
func (ch *changes) settleLinks(ctx context.Context, tx store.Tx, put []*store.Document) error {
	sought, err := tx.Links().ByKeys(ctx, ch.space.Row, sorted(ch.names))
	if err != nil {
		return err
	}
	keys := map[string]bool{}
	for _, c := range sought {
		keys[c.Key] = true
	}
	for l := range linksOf(put) {
		keys[l.Key] = true
	}
	targets, err := TargetsByKey(ctx, tx, ch.space, sorted(keys))
	if err != nil {
		return err
	}
	for l, path := range linksOf(put) {
		l.To, l.Candidates = lead(link.Ref{Kind: l.Kind, Name: l.Name, FromPath: path}, targets[l.Key])
	}
	if err := tx.Links().Put(ctx, put); err != nil {
		return err
	}
	var res []store.Resolution
	for _, c := range sought {
		r := store.Resolution{Row: c.Row}
		r.To, r.Candidates = lead(link.Ref{Kind: c.Kind, Name: c.Name, FromPath: c.FromPath}, targets[c.Key])
		if r.To != c.To || r.Candidates != c.Candidates {
			res = append(res, r)
		}
	}
	return tx.Links().Resolve(ctx, res)
}

func sorted(keys map[string]bool) []string { return slices.Sorted(maps.Keys(keys)) }

// lead returns the page where a link leads, 0 for none, and how many it may
// mean.
func lead(r link.Ref, targets []link.Page) (to int64, candidates int) {
	rows := link.Resolve(r, targets)
	if len(rows) == 1 {
		to = rows[0]
	}
	return to, len(rows)
}

// linksOf iterates over the links in documents, with the path of each.
func linksOf(docs []*store.Document) iter.Seq2[*kb.Link, string] {
	return func(yield func(*kb.Link, string) bool) {
		for _, d := range docs {
			for i := range d.Pages {
				for j := range d.Pages[i].Links {
					if !yield(&d.Pages[i].Links[j], d.Path) {
						return
					}
				}
			}
		}
	}
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
