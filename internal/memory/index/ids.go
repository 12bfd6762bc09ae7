package index

import (
	"cmp"
	"context"
	"maps"
	"slices"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/store"
)

// assign gives every page of the batch an id that no other page in the space
// has: the declared one, else its previous one, else one derived from its path.
// A page that declares a taken id gets a derived one for now; settleIDs decides
// between them.
func assign(ctx context.Context, tx store.Tx, space kb.Space, batch []*Derived, ch *changes) error {
	holders, err := tx.Pages().Holders(ctx, space.Row, wanted(space, batch, ch))
	if err != nil {
		return err
	}
	ours := func(row int64) bool { _, ok := ch.old[row]; return ok }
	taken := make(map[kb.ID]bool, len(holders))
	for id, row := range holders {
		taken[id] = !ours(row)
	}
	// First pages that have the id which they declare: no other page takes it from
	// them.
	for _, d := range batch {
		for j := range d.Record.Pages {
			p := &d.Record.Pages[j]
			if had := ch.byNode[nodeKey{d.Record.Row, p.Page.Node}]; p.Declared != "" && had.id == p.Declared && !taken[p.Declared] {
				p.Page.ID = p.Declared
				taken[p.Declared] = true
			}
		}
	}
	// Then pages that keep or declare an id, so that a derived id never takes
	// it from them.
	for _, d := range inRank(batch) {
		for j := range d.Record.Pages {
			p := &d.Record.Pages[j]
			if p.Page.ID != "" {
				continue
			}
			had := ch.byNode[nodeKey{d.Record.Row, p.Page.Node}]
			id := p.Declared
			if id == "" && had.declared == "" && !d.PathID {
				id = had.id // a page that never declared an id keeps its own
				if id == "" && j == 0 {
					id = d.Record.ID // the id to index it under
				}
			}
			if id != "" && !taken[id] {
				p.Page.ID = id
				taken[id] = true
			}
		}
	}
	for _, d := range batch {
		for j := range d.Record.Pages {
			p := &d.Record.Pages[j]
			if p.Page.ID != "" {
				continue
			}
			id, err := free(ctx, tx, space, d.Record.Path, p.Page.Node, taken, ours)
			if err != nil {
				return err
			}
			p.Page.ID = id
		}
	}
	for _, d := range batch {
		for j := range d.Record.Pages {
			delete(ch.released, d.Record.Pages[j].Page.ID)
		}
	}
	return nil
}

// inRank sorts documents by precedence for an id that several declare, as in
// settleIDs.
func inRank(batch []*Derived) []*Derived {
	out := slices.Clone(batch)
	slices.SortStableFunc(out, func(a, b *Derived) int {
		return cmp.Or(cmp.Compare(len(a.Record.Path), len(b.Record.Path)), cmp.Compare(a.Record.Path, b.Record.Path))
	})
	return out
}

// takeHistory moves the history of pages to their new id, for example when an
// id is written into a document without one. Two pages that exchange ids in one
// batch keep their histories.
func (ch *changes) takeHistory(ctx context.Context, tx store.Tx, batch []*Derived) error {
	had := make(map[kb.ID]bool, len(ch.old))
	for _, p := range ch.old {
		had[p.id] = true
	}
	for _, d := range batch {
		for j := range d.Record.Pages {
			p := &d.Record.Pages[j]
			old, known := ch.byNode[nodeKey{d.Record.Row, p.Page.Node}]
			if !known || old.id == p.Page.ID || had[p.Page.ID] {
				continue
			}
			if err := tx.Pages().SetID(ctx, old.row, p.Page.ID); err != nil {
				return err
			}
		}
	}
	return nil
}

// wanted lists the ids that the batch's pages may get.
func wanted(space kb.Space, batch []*Derived, ch *changes) []kb.ID {
	var ids []kb.ID
	for _, d := range batch {
		for j := range d.Record.Pages {
			p := &d.Record.Pages[j]
			ids = append(ids, kb.DerivedID(space.ID, d.Record.Path, p.Page.Node, 0))
			for _, id := range []kb.ID{p.Declared, d.Record.ID, ch.byNode[nodeKey{d.Record.Row, p.Page.Node}].id} {
				if id != "" {
					ids = append(ids, id)
				}
			}
		}
	}
	return ids
}

// free returns the first derived id of a place without a holder other than our
// pages, and takes it.
func free(ctx context.Context, tx store.Tx, space kb.Space, path, node string, taken map[kb.ID]bool, ours func(row int64) bool) (kb.ID, error) {
	for attempt := 0; ; attempt++ {
		id := kb.DerivedID(space.ID, path, node, attempt)
		if _, known := taken[id]; attempt > 0 && !known { // attempt 0 was asked for in wanted
			holders, err := tx.Pages().Holders(ctx, space.Row, []kb.ID{id})
			if err != nil {
				return "", err
			}
			row, held := holders[id]
			taken[id] = held && !ours(row)
		}
		if !taken[id] {
			taken[id] = true
			return id, nil
		}
	}
}

// settleIDs leaves each declared id with the page that has it and declares it. If
// there is no such page, the id goes to the page that declares it with the shortest
// path (then the first in byte order), regardless of the order of indexing; the
// others get derived ids. So a copy of a note never takes the note's id. A rebuild
// does not know which page was first.
func (ch *changes) settleIDs(ctx context.Context, tx store.Tx) error {
	if len(ch.declared) == 0 {
		return nil
	}
	declarations, err := tx.Pages().Declared(ctx, ch.space.Row, slices.Sorted(maps.Keys(ch.declared)))
	if err != nil {
		return err
	}
	slices.SortFunc(declarations, byClaim)
	for i, d := range declarations {
		if i > 0 && declarations[i-1].Declared == d.Declared || d.Page.ID == d.Declared {
			continue // not the winner, or has it already
		}
		if err := ch.handOver(ctx, tx, d); err != nil {
			return err
		}
	}
	return nil
}

// handOver gives d its declared id, and the id's present holder a derived one: the
// holder either declares it, too, or has it derived from its path.
func (ch *changes) handOver(ctx context.Context, tx store.Tx, d store.Declaration) error {
	holders, err := tx.Pages().ByID(ctx, d.Declared)
	if err != nil {
		return err
	}
	for _, other := range holders {
		if other.SpaceID != ch.space.ID {
			continue
		}
		first := kb.DerivedID(ch.space.ID, other.Path, other.Node, 0)
		held, err := tx.Pages().Holders(ctx, ch.space.Row, []kb.ID{first})
		if err != nil {
			return err
		}
		id, err := free(ctx, tx, ch.space, other.Path, other.Node, map[kb.ID]bool{first: len(held) > 0}, func(int64) bool { return false })
		if err != nil {
			return err
		}
		if err := ch.setID(ctx, tx, other.Row, id); err != nil {
			return err
		}
		ch.names[string(id)] = true
	}
	ch.names[string(d.Declared)] = true
	ch.names[string(d.Page.ID)] = true
	return ch.setID(ctx, tx, d.Page.Row, d.Declared)
}

// maxAttempt limits how many pages may have an id derived from the same path.
const maxAttempt = 16

// reclaimIDs gives documents the id of their path when it becomes free, for example
// because the page that had it was moved and is deleted now, as a rebuild would.
// This examines all documents, so it is only done for an id derived from another
// path than its page's: only such ids are kept from another page.
func (ch *changes) reclaimIDs(ctx context.Context, tx store.Tx) error {
	if len(ch.released) == 0 {
		return nil
	}
	held, err := tx.Pages().Holders(ctx, ch.space.Row, slices.Sorted(maps.Keys(ch.released)))
	if err != nil || len(held) == len(ch.released) {
		return err
	}
	states, err := tx.Documents().States(ctx, ch.space.Row)
	if err != nil {
		return err
	}
	for _, s := range states {
		if s.Declared || s.ID == kb.DerivedID(ch.space.ID, s.Path, "", 0) {
			continue
		}
		var before []kb.ID // ids derived from its path that precede its present one
		for attempt := 0; attempt < maxAttempt; attempt++ {
			id := kb.DerivedID(ch.space.ID, s.Path, "", attempt)
			if id == s.ID {
				break
			}
			before = append(before, id)
		}
		if len(before) == maxAttempt {
			continue // the id of a former path
		}
		holders, err := tx.Pages().Holders(ctx, ch.space.Row, before)
		if err != nil {
			return err
		}
		i := slices.IndexFunc(before, func(id kb.ID) bool { _, held := holders[id]; return !held })
		if i < 0 {
			continue
		}
		pages, err := tx.Pages().ByPath(ctx, ch.space.Row, s.Path)
		if err != nil {
			return err
		}
		ch.names[string(s.ID)], ch.names[string(before[i])] = true, true
		if err := ch.setID(ctx, tx, pages[0].Row, before[i]); err != nil {
			return err
		}
	}
	return nil
}

func (ch *changes) setID(ctx context.Context, tx store.Tx, page int64, id kb.ID) error {
	ch.settled[page] = id
	return tx.Pages().SetID(ctx, page, id)
}

// setIDs updates the documents of the batch with the settled ids, so that their
// versions are recorded under them.
func (ch *changes) setIDs(batch []*Derived) {
	for _, d := range batch {
		for j := range d.Record.Pages {
			p := &d.Record.Pages[j].Page
			if id, ok := ch.settled[p.Row]; ok {
				p.ID = id
			}
		}
		d.Record.ID = d.Record.Pages[0].Page.ID
	}
}
