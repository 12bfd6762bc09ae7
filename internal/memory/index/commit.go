package index

import (
	"context"
	"slices"
	"time"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/store"
)

// Item is one changed document of a change set.
type Item struct {
	Change  kb.ChangeKind
	Derived *Derived // the new state; nil for a deleted document

	// For a deleted document:
	Row   int64
	ID    kb.ID
	Path  string
	Title string
}

// Group is the part of a change set for one space.
type Group struct {
	Space kb.Space
	Items []Item
	Texts *Texts // of the items, if they were analysed early; may be nil
	Later *Later // collects the links of the items; nil to settle them with the items
}

// Set is one change set, recorded in the history as one write.
type Set struct {
	Write  *kb.Write
	Groups []Group
}

// Commit indexes a change set and records it in the history, as one write. It
// returns the versions in the order of the items.
func (ix *Index) Commit(ctx context.Context, tx store.Tx, w *kb.Write, groups []Group) ([]kb.Version, error) {
	all, _, err := ix.CommitAll(ctx, tx, []Set{{Write: w, Groups: groups}})
	if err != nil {
		return nil, err
	}
	return all[0], nil
}

// CommitAll is Commit for change sets without common documents. They are indexed
// together, which takes much less time than separately, and recorded as a write
// each, in order. Groups of several sets in the same space must have no Texts.
// settled are the spaces in which ids moved between pages, including those of other
// documents.
func (ix *Index) CommitAll(ctx context.Context, tx store.Tx, sets []Set) (versions [][]kb.Version, settled map[int64]bool, err error) {
	for _, set := range sets {
		for _, g := range set.Groups {
			for _, it := range g.Items {
				if it.Derived != nil {
					it.Derived.Record.Recorded = set.Write.Time
					if it.Change == kb.Created && set.Write.Actor.Kind != kb.Sync {
						it.Derived.written()
					}
				}
			}
		}
	}
	recorded := func() {
		for _, set := range sets {
			w := *set.Write
			_ = tx.History().Record(ctx, &w, set.records())
		}
	}
	settled = map[int64]bool{}
	for _, g := range bySpace(sets) {
		if settled[g.Space.Row], err = ix.replace(ctx, tx, g, recorded); err != nil {
			return nil, nil, err
		}
	}
	versions = make([][]kb.Version, len(sets))
	for i, set := range sets {
		if err := set.noteUses(ctx, tx); err != nil {
			return nil, nil, err
		}
		records := set.records()
		if err := tx.History().Record(ctx, set.Write, records); err != nil {
			return nil, nil, err
		}
		for _, r := range records {
			versions[i] = append(versions[i], r.Version)
		}
	}
	return versions, settled, nil
}

// records are the versions of a set.
func (s Set) records() (out []*store.NewVersion) {
	for _, g := range s.Groups {
		for _, it := range g.Items {
			out = append(out, it.record(g.Space, s.Write))
		}
	}
	return out
}

// besides lists the operations that change texts without a user working on them.
var besides = []string{"undo", "redo", "staleness", "status", "compact", "mv", "region", "contest"}

// noteUses records a use of the pages with texts changed by a person, an agent or
// another program.
func (s Set) noteUses(ctx context.Context, tx store.Tx) error {
	if s.Write.Actor.Kind == kb.Schedule || slices.Contains(besides, s.Write.Operation) {
		return nil
	}
	for _, g := range s.Groups {
		var ids []kb.ID
		for _, it := range g.Items {
			if it.Derived == nil || it.Change == kb.Created {
				continue
			}
			for _, j := range it.Derived.edited {
				ids = append(ids, it.Derived.Record.Pages[j].Page.ID)
			}
		}
		if err := tx.Lives().Use(ctx, g.Space.Row, ids, s.Write.Time.Format(time.DateOnly)); err != nil {
			return err
		}
	}
	return nil
}

// bySpace merges the groups of each space.
func bySpace(sets []Set) []Group {
	var out []Group
	for _, set := range sets {
		for _, g := range set.Groups {
			i := slices.IndexFunc(out, func(o Group) bool { return o.Space.Row == g.Space.Row })
			if i < 0 {
				out = append(out, g)
				continue
			}
			out[i].Items = slices.Concat(out[i].Items, g.Items)
		}
	}
	return out
}

// replace updates the documents of a space to their new state. next is read
// afterwards; see store.Foresee. settled reports whether ids moved between pages.
func (ix *Index) replace(ctx context.Context, tx store.Tx, g Group, next func()) (settled bool, err error) {
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
	// Removing first frees paths and ids for other items.
	freed, err := ix.remove(ctx, tx, g.Space, gone)
	if err != nil {
		return false, err
	}
	settled, err = ix.put(ctx, tx, g.Space, put, g.Texts, g.Later, next)
	return freed || settled, err
}

func (it Item) record(space kb.Space, w *kb.Write) *store.NewVersion {
	v := &store.NewVersion{Version: kb.Version{
		Space: space.Row, Change: it.Change, Time: w.Time, Actor: w.Actor,
		Page: it.ID, Path: it.Path, Title: it.Title,
	}}
	if d := it.Derived; d != nil {
		v.Page, v.Path, v.Title = d.Record.ID, d.Record.Path, d.Record.Pages[0].Page.Title
		v.Hash, v.Size, v.ModTime = d.Record.Hash, d.Record.Size, d.Record.ModTime
		v.Side = d.Record.Side
		v.Bytes, v.SideBytes = d.source, d.side
	}
	return v
}
