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
	pages, err := TargetsByKey(ctx, tx, ch.space, sorted(keys))
	if err != nil {
		return err
	}
	to := newTargets(pages)
	for l, path := range linksOf(put) {
		l.To, l.Candidates = to[l.Key].Lead(link.Ref{Kind: l.Kind, Name: l.Name, FromPath: path})
	}
	if err := tx.Links().Put(ctx, put); err != nil {
		return err
	}
	var res []store.Resolution
	for _, c := range sought {
		r := store.Resolution{Row: c.Row}
		r.To, r.Candidates = to[c.Key].Lead(link.Ref{Kind: c.Kind, Name: c.Name, FromPath: c.FromPath})
		if r.To != c.To || r.Candidates != c.Candidates {
			res = append(res, r)
		}
	}
	return tx.Links().Resolve(ctx, res)
}

func sorted(keys map[string]bool) []string { return slices.Sorted(maps.Keys(keys)) }

// newTargets orders the pages of each key for the links that have it. A key
// that no page has leads nowhere.
func newTargets(pages map[string][]link.Page) map[string]*link.Targets {
	out := make(map[string]*link.Targets, len(pages))
	for key, list := range pages {
		out[key] = link.NewTargets(list)
	}
	return out
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
