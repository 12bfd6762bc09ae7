package index

import (
	"context"
	"maps"
	"slices"
	"time"

	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/doc/link"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/search/lexical"
	"github.com/cairn-kb/cairn/internal/store"
)

// Index keeps the derived rows of one memory. It is safe for concurrent use.
type Index struct {
	text *lexical.Index
	past bool // the times of a page are derived from its text and its file alone
}

// cacheBytes limits the cache of the full-text index between searches of one
// process.
const cacheBytes = 64 << 20

// New returns an Index.
func New() *Index { return &Index{text: lexical.New(cacheBytes)} }

// OfPast returns the Index of a memory at a past time. A document that it puts is
// older than the one that it replaces, so no times are derived from the other's.
func OfPast() *Index { return &Index{text: lexical.New(cacheBytes), past: true} }

// Text returns the full-text index, for searching.
func (ix *Index) Text() *lexical.Index { return ix.text }

// Put indexes documents of one space: new ones (Record.Row is 0) and replacements
// of the row that they specify, at the same path or another. It settles ids, writes
// rows and full text, and resolves every affected link. A path must not occur twice
// in the batch. early holds texts analysed before; they may include documents that
// are not in the batch. Put creates no versions, so it drops the Catalog of the
// space.
func (ix *Index) Put(ctx context.Context, tx store.Tx, space kb.Space, batch []*Derived, early *Texts) error {
	if _, err := ix.put(ctx, tx, space, batch, early, nil, func() {}); err != nil {
		return err
	}
	return DropCatalog(ctx, tx, space.ID)
}

// foreseen is the number of documents up to which several read passes are made, to
// use few round trips to a server.
const foreseen = 64

func (ix *Index) put(ctx context.Context, tx store.Tx, space kb.Space, batch []*Derived, early *Texts, later *Later, next func()) (settled bool, err error) {
	if len(batch) == 0 {
		return false, nil
	}
	ahead := func(ask func()) error {
		if len(batch) > foreseen {
			return nil
		}
		return store.Foresee(ctx, tx, ask)
	}
	if err := ahead(func() { ix.ahead(ctx, tx, space, batch) }); err != nil {
		return false, err
	}
	ch := newChanges(space)
	if err := ch.noteOld(ctx, tx, rowsOf(batch)); err != nil {
		return false, err
	}
	if err := assign(ctx, tx, space, batch, ch); err != nil {
		return false, err
	}
	if !ix.past {
		ch.keepTimes(batch)
	}
	if err := ch.takeHistory(ctx, tx, batch); err != nil {
		return false, err
	}
	records := make([]*store.Document, len(batch))
	for i, d := range batch {
		for j := range d.Record.Pages {
			p := &d.Record.Pages[j]
			p.Names = namesOf(p, d.Record.Path)
			ch.noteNew(d, p)
		}
		d.Record.ID = d.Record.Pages[0].Page.ID
		records[i] = &d.Record
	}
	if err := tx.Documents().Put(ctx, records); err != nil {
		return false, err
	}
	for _, d := range batch {
		for j := range d.Record.Pages {
			delete(ch.old, d.Record.Pages[j].Page.Row)
		}
	}
	var texts *lexical.Batch
	if early != nil {
		texts = early.settle(batch)
	} else {
		texts = analyse(batch)
	}
	for row, p := range ch.old { // pages that their document no longer has
		texts.Delete(row)
		ch.note(p)
	}
	if err := ix.text.Write(ctx, tx.Lexical(), texts); err != nil {
		return false, err
	}
	if err := ahead(func() {
		_, _ = tx.Lexical().Segments(ctx)
		if len(ch.declared) > 0 {
			_, _ = tx.Pages().Declared(ctx, space.Row, slices.Sorted(maps.Keys(ch.declared)))
		}
		if later == nil {
			_ = ch.settleLinks(ctx, tx, records)
		}
		next()
	}); err != nil {
		return false, err
	}
	if err := ix.text.MergeSmall(ctx, tx.Lexical()); err != nil {
		return false, err
	}
	if later != nil {
		later.take(ch.names, records)
		err = ch.settleAllIDs(ctx, tx)
	} else {
		err = ch.settle(ctx, tx, records)
	}
	if err != nil {
		return false, err
	}
	ch.setIDs(batch)
	return len(ch.settled) > 0, nil
}

// Ahead makes the reads of a small change set before it writes; see store.Foresee.
func (ix *Index) Ahead(ctx context.Context, tx store.Tx, set Set) {
	for _, g := range set.Groups {
		var put []*Derived
		for _, it := range g.Items {
			if it.Derived != nil {
				put = append(put, it.Derived)
			}
		}
		if len(put) > 0 && len(put) <= foreseen {
			ix.ahead(ctx, tx, g.Space, put)
		}
	}
}

// ahead makes the reads of put before it writes.
func (ix *Index) ahead(ctx context.Context, tx store.Tx, space kb.Space, batch []*Derived) {
	rows, ch := rowsOf(batch), newChanges(space)
	_ = ch.noteOld(ctx, tx, rows)
	_, _ = tx.Pages().Holders(ctx, space.Row, wanted(space, batch, ch))
	_ = tx.Documents().Ahead(ctx, rows)
	_ = ix.text.Ahead(ctx, tx.Lexical())
}

// Remove removes documents of one space from the index. It creates no versions, so
// it drops the Catalog of the space.
func (ix *Index) Remove(ctx context.Context, tx store.Tx, space kb.Space, rows []int64) error {
	if _, err := ix.remove(ctx, tx, space, rows); err != nil {
		return err
	}
	return DropCatalog(ctx, tx, space.ID)
}

func (ix *Index) remove(ctx context.Context, tx store.Tx, space kb.Space, rows []int64) (settled bool, err error) {
	if len(rows) == 0 {
		return false, nil
	}
	ch := newChanges(space)
	if err := ch.noteOld(ctx, tx, rows); err != nil {
		return false, err
	}
	texts := lexical.NewBatch()
	for row, p := range ch.old {
		texts.Delete(row)
		ch.note(p)
	}
	if err := ix.text.Apply(ctx, tx.Lexical(), texts); err != nil {
		return false, err
	}
	if err := tx.Documents().Remove(ctx, rows); err != nil {
		return false, err
	}
	err = ch.settle(ctx, tx, nil)
	return len(ch.settled) > 0, err
}

// DropText removes deleted pages from the full-text index.
func (ix *Index) DropText(ctx context.Context, tx store.Tx, rows []int64) error {
	texts := lexical.NewBatch()
	for _, row := range rows {
		texts.Delete(row)
	}
	return ix.text.Apply(ctx, tx.Lexical(), texts)
}

func rowsOf(batch []*Derived) []int64 {
	var rows []int64
	for _, d := range batch {
		if d.Record.Row != 0 {
			rows = append(rows, d.Record.Row)
		}
	}
	return rows
}

// changes collects the effects of a batch: names that were added, removed or
// kept, and declared ids.
type changes struct {
	space    kb.Space
	old      map[int64]oldPage // pages of replaced or removed documents, by row
	byNode   map[nodeKey]oldPage
	names    map[string]bool // keys of links that may have another target now
	declared map[kb.ID]bool  // ids that may belong to another page now
	settled  map[int64]kb.ID // ids that pages got because other pages declare theirs
	released map[kb.ID]bool  // derived ids that pages had, and that may be free now
}

type nodeKey struct {
	doc  int64
	node string
}

type oldPage struct {
	row      int64
	id       kb.ID
	declared kb.ID
	names    []string
	path     string
	title    string
	aliases  []string

	hash            kb.Hash // of its document
	truth, timeline half
}

// isTarget reports whether a page is the same for links as before: each resolves as
// it did.
func (o oldPage) isTarget(d *Derived, p *store.PageRecord) bool {
	return o.id == p.Page.ID && o.declared == p.Declared && o.path == d.Record.Path && o.title == p.Page.Title &&
		slices.Equal(o.aliases, p.Page.Aliases) && slices.Equal(o.names, p.Names)
}

func newChanges(space kb.Space) *changes {
	return &changes{
		space: space, old: map[int64]oldPage{}, byNode: map[nodeKey]oldPage{},
		names: map[string]bool{}, declared: map[kb.ID]bool{}, settled: map[int64]kb.ID{}, released: map[kb.ID]bool{},
	}
}

// noteOld records the pages that are about to be replaced or removed.
func (ch *changes) noteOld(ctx context.Context, tx store.Tx, rows []int64) error {
	pages, err := tx.Documents().Records(ctx, rows)
	if err != nil {
		return err
	}
	for row, own := range pages {
		for i := range own {
			p := &own[i]
			old := oldPage{
				row: p.Page.Row, id: p.Page.ID, declared: p.Declared, names: p.Names, path: p.Page.Path, title: p.Page.Title, aliases: p.Page.Aliases,
				hash:  p.Page.Hash,
				truth: half{p.TruthSum, p.Page.TruthUpdated}, timeline: half{p.TimelineSum, p.Page.TimelineUpdated},
			}
			ch.old[p.Page.Row] = old
			ch.byNode[nodeKey{row, p.Page.Node}] = old
			if p.Page.ID.IsDerived() && p.Page.ID != kb.DerivedID(ch.space.ID, p.Page.Path, p.Page.Node, 0) {
				ch.released[p.Page.ID] = true
			}
		}
	}
	return nil
}

// noteNew records a page of a document and the one that it replaces. Links to a
// page are not resolved again when only its text changes: there may be thousands.
func (ch *changes) noteNew(d *Derived, p *store.PageRecord) {
	old, known := ch.byNode[nodeKey{d.Record.Row, p.Page.Node}]
	if known && old.isTarget(d, p) {
		ch.noteDeclared(p.Declared)
		return
	}
	if known {
		ch.note(old)
	}
	ch.note(oldPage{id: p.Page.ID, declared: p.Declared, names: p.Names, path: d.Record.Path})
}

// note records the names by which links may find a page, including aliases of the
// policy.
func (ch *changes) note(p oldPage) {
	for _, n := range p.names {
		ch.names[n] = true
	}
	for _, alias := range ch.space.Filing.Aliases(link.Slug(p.path)) {
		ch.names[link.Key(string(doc.WikiLink), alias)] = true
	}
	ch.names[string(p.id)] = true
	ch.noteDeclared(p.declared)
}

func (ch *changes) noteDeclared(id kb.ID) {
	if id != "" {
		ch.declared[id] = true
	}
}

// settle updates ids and links to match the present index, and writes the links of
// put, whose pages it already contains.
func (ch *changes) settle(ctx context.Context, tx store.Tx, put []*store.Document) error {
	if err := ch.settleAllIDs(ctx, tx); err != nil {
		return err
	}
	return ch.settleLinks(ctx, tx, put)
}

// settleAllIDs updates ids to match the present index.
func (ch *changes) settleAllIDs(ctx context.Context, tx store.Tx) error {
	if err := ch.settleIDs(ctx, tx); err != nil {
		return err
	}
	return ch.reclaimIDs(ctx, tx)
}

// RemoveSpace removes a space and all of its index data.
func (ix *Index) RemoveSpace(ctx context.Context, tx store.Tx, space kb.Space) error {
	return ix.withoutSpace(ctx, tx, space, func() error { return tx.Spaces().Remove(ctx, space.Row) })
}

// ForgetSpace is RemoveSpace, but the store keeps the data needed to restore the
// space.
func (ix *Index) ForgetSpace(ctx context.Context, tx store.Tx, space kb.Space, at time.Time) error {
	return ix.withoutSpace(ctx, tx, space, func() error { return tx.Spaces().Forget(ctx, space.Row, at) })
}

// withoutSpace removes the texts of a space from the full-text index, its rows with
// remove, and resolves links to it again.
func (ix *Index) withoutSpace(ctx context.Context, tx store.Tx, space kb.Space, remove func() error) error {
	rows, err := tx.Pages().Rows(ctx, store.Filter{Spaces: []int64{space.Row}})
	if err != nil {
		return err
	}
	texts := lexical.NewBatch()
	for _, row := range rows {
		texts.Delete(row)
	}
	if err := ix.text.Apply(ctx, tx.Lexical(), texts); err != nil {
		return err
	}
	if err := remove(); err != nil {
		return err
	}
	return ix.SettleSpaces(ctx, tx)
}
