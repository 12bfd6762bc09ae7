package write

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"
	"time"

	"github.com/cairn-kb/cairn/internal/files/fsys"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory/index"
	"github.com/cairn-kb/cairn/internal/store"
)

// Recovered is the result of Recover for one unfinished change set.
type Recovered struct {
	Operation string
	Paths     []string
	Finished  bool     // false: nothing of it had happened, and nothing has
	Foreign   []string // paths that another program has changed since
}

// Recover finishes the change sets that crashed processes left in the journal:
// one with any replaced file is completed, any other is dropped. Spaces locked
// by a living process are left to it, and those that cannot be opened are
// retried later. open opens a space by its row, and fails with kb.NotFound when
// it was removed. Unreadable records are kept, too.
//
// It is called once, before the Writer is used. Later unfinished change sets of
// other processes are finished by the first process that enters the space.
func (w *Writer) Recover(ctx context.Context, open func(context.Context, int64) (*Space, error)) ([]Recovered, error) {
	w.open = open
	entries, err := w.pendingEntries(ctx)
	if err != nil || len(entries) == 0 {
		return nil, err
	}
	var (
		out  []Recovered
		errs []error
	)
	// Opening the memory must not wait for a writer, least of all for a stopped
	// one: a writer waits when it enters the space.
	patient := store.WithPatience(ctx, store.ReadPatience)
	for _, e := range entries {
		r, err := w.recoverOne(patient, e)
		switch {
		case store.IsBusy(err):
			// Its writer is alive; so may be those of the other entries.
			patient = store.WithPatience(ctx, 0)
		case errors.Is(err, errUnreadable):
			// It is kept for a version of cairn that can read it, and writes
			// are refused until then; the memory can be read in the meantime.
		case err != nil:
			errs = append(errs, err)
		case r != nil:
			out = append(out, *r)
		}
	}
	return out, errors.Join(errs...)
}

func (w *Writer) pendingEntries(ctx context.Context) (entries []store.JournalEntry, err error) {
	err = w.Memory.View(ctx, func(tx store.Tx) error {
		entries, err = tx.Journal().Pending(ctx)
		return err
	})
	return entries, err
}

// enter locks spaces for a change. With the lock of a space held, a journal
// entry for it is orphaned: its writer died, or could not revert its changes.
// It is finished first, so that no change is based on a partial one. Ahead, where it is not
// nil, reads what will be read with the locks.
func (w *Writer) enter(ctx context.Context, spaces []*Space, ahead func() error) (unlock func() error, err error) {
	for {
		unlock, err := w.lockAll(ctx, spaces)
		if err != nil {
			return nil, err
		}
		if ahead != nil {
			if err := ahead(); err != nil {
				return nil, errors.Join(err, unlock())
			}
		}
		left, err := w.leftIn(ctx, spaces)
		if err != nil {
			return nil, errors.Join(err, unlock())
		}
		if len(left) == 0 {
			return unlock, nil
		}
		// An entry may concern other spaces, too; all are locked in order.
		if err := unlock(); err != nil {
			return nil, err
		}
		for _, e := range left {
			if _, err := w.recoverOne(ctx, e); err != nil {
				return nil, err
			}
		}
	}
}

// RecoverSpace finishes what dead processes left unfinished in the space. A living
// writer of it is waited for.
func (w *Writer) RecoverSpace(ctx context.Context, space *Space) error {
	if left, err := w.leftIn(ctx, []*Space{space}); err != nil || len(left) == 0 {
		return err
	}
	unlock, err := w.enter(ctx, []*Space{space}, nil)
	if err != nil {
		return err
	}
	return unlock()
}

// leftIn returns the entries that concern any of the spaces and that can be
// finished now.
func (w *Writer) leftIn(ctx context.Context, spaces []*Space) ([]store.JournalEntry, error) {
	entries, err := w.pendingEntries(ctx)
	if err != nil || len(entries) == 0 || w.open == nil {
		return nil, err
	}
	var left []store.JournalEntry
	for _, e := range entries {
		rec, err := readRecord(e.Record)
		if err != nil {
			return nil, err
		}
		concerns := slices.ContainsFunc(rec.Ops, func(o op) bool {
			return slices.ContainsFunc(spaces, func(s *Space) bool { return s.Row == o.Space })
		})
		if !concerns {
			continue
		}
		opened, err := w.openAll(ctx, rec)
		if err != nil {
			return nil, err
		}
		if opened != nil {
			left = append(left, e)
		}
	}
	return left, nil
}

// openAll opens the spaces of a record, except removed ones: their files are
// not ours any more. It returns nil when one cannot be opened now, such as a
// directory that is not mounted or is empty; that must not block other work.
func (w *Writer) openAll(ctx context.Context, rec *record) (map[int64]*Space, error) {
	spaces := map[int64]*Space{}
	for _, o := range rec.Ops {
		if spaces[o.Space] != nil {
			continue
		}
		s, err := w.open(ctx, o.Space)
		if err == nil {
			err = rec.present(s) // missing files look like deleted ones
		}
		switch {
		case err == nil:
			spaces[o.Space] = s
		case ctx.Err() != nil:
			return nil, context.Cause(ctx)
		case kb.CodeOf(err) != kb.NotFound:
			return nil, nil
		}
	}
	return spaces, nil
}

func (w *Writer) recoverOne(ctx context.Context, e store.JournalEntry) (_ *Recovered, err error) {
	rec, err := readRecord(e.Record)
	if err != nil {
		return nil, err
	}
	spaces, err := w.openAll(ctx, rec)
	if err != nil || spaces == nil {
		return nil, err
	}
	unlock, err := w.lockAll(ctx, inOrder(slices.Collect(maps.Values(spaces))))
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, unlock()) }()
	if gone, err := w.cleared(ctx, e.ID); err != nil || gone {
		return nil, err // its writer finished while we waited for the lock
	}
	if err := w.unpack(ctx, e.ID, rec); err != nil {
		return nil, err
	}
	if err := w.rescue(ctx, rec, func(row int64) *Space { return spaces[row] }, func(int64, string) bool { return false }); err != nil {
		return nil, err
	}
	r := &Recovered{Operation: rec.Operation}
	states := make([]state, len(rec.Ops))
	for i := range rec.Ops {
		o := &rec.Ops[i]
		r.Paths = append(r.Paths, o.Path)
		s := spaces[o.Space]
		if s == nil {
			states[i] = foreign
			continue
		}
		if states[i], err = o.state(w.reader(ctx, s, o)); err != nil {
			return nil, err
		}
		// Rows are written last, so they do not show its progress.
		r.Finished = r.Finished || s.Files != nil && (states[i] == done || states[i] == begun)
	}
	for _, s := range spaces {
		if rec.present(s) != nil {
			return nil, nil // it went away while it was read: the entry waits
		}
	}
	if !r.Finished {
		return r, w.clearJournal(ctx, e.ID)
	}
	for i := range rec.Ops {
		o := &rec.Ops[i]
		if states[i] == foreign {
			r.Foreign = append(r.Foreign, o.Path)
			continue
		}
		if spaces[o.Space].Files == nil {
			continue
		}
		if err := o.finish(ctx, spaces[o.Space].Files, states[i]); err != nil && !errors.Is(err, fsys.ErrNotDurable) {
			return nil, fsys.Explain(err, "finish the write of %s", o.Path)
		}
	}
	stands, held, err := w.recoverCommits(ctx, rec, states, spaces)
	if err != nil {
		return nil, err
	}
	if !stands {
		r.Finished = false
		return r, w.takeAllBack(ctx, e.ID, rec, spaces)
	}
	return r, w.recordRecovered(ctx, e.ID, rec, states, spaces, held)
}

// reader returns a function that reads the present state of an operation's
// document.
func (w *Writer) reader(ctx context.Context, space *Space, o *op) func(path string) ([]byte, error) {
	return func(path string) (now []byte, err error) {
		if space.Files != nil {
			return bytesAt(ctx, space.Files, path)
		}
		set := &changeSet{w: w}
		t := &target{space: space, path: path}
		if o.Of != "" {
			t.path = o.document(path)
		}
		if err := set.readRow(ctx, t); err != nil || t.row == nil {
			return nil, err
		}
		if o.Of != "" {
			return t.side.old, nil
		}
		if t.old == nil {
			return []byte{}, nil
		}
		return t.old, nil
	}
}

func (w *Writer) cleared(ctx context.Context, id int64) (bool, error) {
	entries, err := w.pendingEntries(ctx)
	for _, e := range entries {
		if e.ID == id {
			return false, err
		}
	}
	return true, err
}

// recovered is one document of a recovered change set.
type recovered struct {
	space *Space
	path  string // after it
	text  *op    // nil where the document itself did not change
	side  *op    // nil where the sidecar did not
	of    map[*op]state
}

func (r *recovered) foreign(o *op) bool { return o != nil && r.of[o] == foreign }

// recordRecovered indexes a finished change set and clears its entry. If
// another program has changed a file since, the text of the change set becomes
// the previous version: its row is marked out of date, so that the next sync
// indexes the present file.
func (w *Writer) recordRecovered(ctx context.Context, entry int64, rec *record, states []state, spaces map[int64]*Space, held []*guarded) error {
	wr := kb.Write{Time: rec.Time, Actor: rec.Actor, Operation: rec.Operation, Message: rec.Message, Undoes: rec.Undoes}
	bySpace := map[int64]*index.Group{}
	var order []int64
	for _, r := range documentsOf(rec, states, spaces) {
		if r.space.Files == nil && (r.foreign(r.text) || r.foreign(r.side)) {
			continue // a newer row, which no sync could bring back
		}
		it, ok, err := w.recoveredItem(ctx, r)
		if err != nil {
			return err
		}
		if !ok {
			continue
		}
		row := r.space.Row
		if bySpace[row] == nil {
			bySpace[row] = &index.Group{Space: r.space.Space}
			order = append(order, row)
		}
		bySpace[row].Items = append(bySpace[row].Items, it)
	}
	var groups []index.Group
	for _, row := range order {
		groups = append(groups, *bySpace[row])
	}
	return w.Memory.Update(ctx, func(tx store.Tx) error {
		if len(groups) > 0 {
			if _, err := w.Index.Commit(ctx, tx, &wr, groups); err != nil {
				return err
			}
		}
		if err := hold(ctx, tx, held, rec); err != nil {
			return err
		}
		return tx.Journal().Clear(ctx, entry)
	})
}

// takeAllBack reverts a change set with a commit that a hook rejects.
func (w *Writer) takeAllBack(ctx context.Context, entry int64, rec *record, spaces map[int64]*Space) error {
	for i := range slices.Backward(rec.Ops) {
		o := &rec.Ops[i]
		if s := spaces[o.Space]; s != nil && s.Files != nil {
			if err := o.takeBack(ctx, s.Files); err != nil {
				return fsys.Explain(err, "take back the write of %s", o.Path)
			}
		}
	}
	return w.clearJournal(ctx, entry)
}

// documentsOf combines the operations on a document and on its sidecar. Spaces
// that are not ours any more are left out.
func documentsOf(rec *record, states []state, spaces map[int64]*Space) []*recovered {
	var out []*recovered
	byPath := map[docKey]*recovered{}
	for i := range rec.Ops {
		o := &rec.Ops[i]
		if spaces[o.Space] == nil || o.Generated {
			continue
		}
		at := docKey{o.Space, cmp.Or(o.Of, o.Path)}
		r := byPath[at]
		if r == nil {
			r = &recovered{space: spaces[o.Space], path: at.path, of: map[*op]state{}}
			byPath[at] = r
			out = append(out, r)
		}
		r.of[o] = states[i]
		if o.Of != "" {
			r.side = o
		} else {
			r.text = o
		}
	}
	return out
}

// recoveredItem reads the row that a document started from; ok is false when
// the index already has the result of the change set.
func (w *Writer) recoveredItem(ctx context.Context, r *recovered) (it index.Item, ok bool, err error) {
	row, err := w.rowAt(ctx, r.space, r.path)
	if err == nil && row == nil && r.text != nil && r.text.From != "" {
		row, err = w.rowAt(ctx, r.space, r.text.From) // else a sync has found the moved file under its new name
	}
	if err != nil || row == nil && (r.text == nil || r.text.New == nil) {
		return it, false, err
	}
	if r.text != nil && r.text.New == nil {
		return w.item(r.space, row, r.path, Found{}), true, nil
	}
	known, err := w.known(ctx, row)
	if err != nil {
		return it, false, err
	}
	now := known
	if o := r.text; o != nil {
		now.Bytes, now.ModTime = o.New, w.modTimeAfter(r, o)
	}
	switch o := r.side; {
	case o != nil && o.New == nil:
		now.Side = index.Side{}
	case o != nil:
		now.Side = index.Side{Bytes: o.New, ModTime: w.modTimeAfter(r, o)}
	case row == nil && r.space.Files != nil:
		if now.Side, err = Beside(ctx, r.space.Files, r.path); err != nil {
			return it, false, err
		}
	}
	if row != nil && row.Path == r.path && same(known.Bytes, now.Bytes) && same(known.Side.Bytes, now.Side.Bytes) {
		return it, false, nil
	}
	return w.item(r.space, row, r.path, now), true, nil
}

// modTimeAfter is the modification time of a file that an operation wrote; an
// unknown one where another program has written it since.
func (w *Writer) modTimeAfter(r *recovered, o *op) time.Time {
	if r.of[o] == foreign {
		return unknownTime
	}
	return w.modTime(r.space, o.Path)
}

// known is a document as the index knows it; nothing where that has no row.
func (w *Writer) known(ctx context.Context, row *store.Document) (f Found, err error) {
	if row == nil {
		return f, nil
	}
	f.ModTime = row.ModTime
	err = w.Memory.View(ctx, func(tx store.Tx) error {
		if f.Bytes, err = tx.History().Bytes(ctx, row.Hash); err != nil {
			return err
		}
		f.Side, err = index.StoredSide(ctx, tx, row.Side)
		return err
	})
	return f, err
}

// rowAt returns the row at a path, nil without one.
func (w *Writer) rowAt(ctx context.Context, space *Space, path string) (row *store.Document, err error) {
	err = w.Memory.View(ctx, func(tx store.Tx) error {
		row, err = rowAt(ctx, tx, space, path)
		return err
	})
	return row, err
}

func rowAt(ctx context.Context, tx store.Tx, space *Space, path string) (*store.Document, error) {
	row, err := tx.Documents().ByPath(ctx, space.Row, path)
	if kb.CodeOf(err) == kb.NotFound {
		return nil, nil
	}
	return row, err
}
