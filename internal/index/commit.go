package index

import (
	"context"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/store"
)

// Item is one document that a change set leaves in another state.
type Item struct {
	Change  kb.ChangeKind
	Derived *Derived // the new state; nil when the document is gone

	// Of a document that is gone:
	Row   int64
	ID    kb.ID
	Path  string
	Title string
}

// Group is what a change set does in one space.
type Group struct {
	Space kb.Space
	Items []Item
	Texts *Texts // of the items, when they were analysed early; may be nil
}

// Commit indexes a change set and records it in the history, as one write.
// It returns the versions in the order of the items.
func (ix *Index) Commit(ctx context.Context, tx store.Tx, w *kb.Write, groups []Group) ([]kb.Version, error) {
	var records []*store.NewVersion
	for _, g := range groups {
		var (
			put  []*Derived
			gone []int64
		)
		for _, it := range g.Items {
			if it.Derived != nil {
				put = append(put, it.Derived)
			} else {
				gone = append(gone, it.Row)
			}
		}
		// Removing first frees paths and ids that another item takes over.
		if err := ix.Remove(ctx, tx, g.Space, gone); err != nil {
			return nil, err
		}
		if err := ix.Put(ctx, tx, g.Space, put, g.Texts); err != nil {
			return nil, err
		}
		for _, it := range g.Items {
			records = append(records, it.record(g.Space, w))
		}
	}
	if err := tx.History().Record(ctx, w, records); err != nil {
		return nil, err
	}
	versions := make([]kb.Version, len(records))
	for i, r := range records {
		versions[i] = r.Version
	}
	return versions, nil
}

func (it Item) record(space kb.Space, w *kb.Write) *store.NewVersion {
	v := &store.NewVersion{Version: kb.Version{
		Space: space.Row, Change: it.Change, Time: w.Time, Actor: w.Actor,
		Page: it.ID, Path: it.Path, Title: it.Title,
	}}
	if d := it.Derived; d != nil {
		v.Page, v.Path, v.Title = d.Record.ID, d.Record.Path, d.Record.Pages[0].Page.Title
		v.Hash, v.Size, v.ModTime = d.Record.Hash, d.Record.Size, d.Record.ModTime
		v.Bytes = d.source
	}
	return v
}
