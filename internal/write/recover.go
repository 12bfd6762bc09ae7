package write

import (
	"context"
	"errors"

	"github.com/cairn-kb/cairn/internal/fsys"
	"github.com/cairn-kb/cairn/internal/index"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/store"
)

// Recovered says what Recover did with one unfinished change set.
type Recovered struct {
	Operation string
	Paths     []string
	Finished  bool     // false: nothing of it had happened, and nothing has
	Foreign   []string // paths that another program has changed since
}

// Recover finishes what crashed processes left in the journal: a change set
// of which any file was replaced is completed, any other is dropped. Spaces
// whose lock a living process holds are left to it; open opens a space by its
// row, and fails with kb.NotFound when it is gone.
func (w *Writer) Recover(ctx context.Context, open func(context.Context, int64) (*Space, error)) ([]Recovered, error) {
	entries, err := w.pendingEntries(ctx)
	if err != nil || len(entries) == 0 {
		return nil, err
	}
	var (
		out  []Recovered
		errs []error
	)
	for _, e := range entries {
		r, err := w.recoverOne(ctx, e, open)
		switch {
		case errors.Is(err, fsys.ErrBusy):
			// Its writer is alive.
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

func (w *Writer) recoverOne(ctx context.Context, e store.JournalEntry, open func(context.Context, int64) (*Space, error)) (_ *Recovered, err error) {
	rec, err := decodeRecord(e.Record)
	if err != nil {
		return nil, err
	}
	spaces := map[int64]*Space{}
	var changes []Change
	for _, o := range rec.Ops {
		if spaces[o.Space] != nil {
			continue
		}
		s, err := open(ctx, o.Space)
		if kb.CodeOf(err) == kb.NotFound {
			continue // the space was removed since: its files are not ours
		}
		if err != nil {
			return nil, err
		}
		spaces[o.Space] = s
		changes = append(changes, Change{Space: s})
	}
	unlock, err := w.lockAll(ctx, changes)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, unlock()) }()
	if gone, err := w.cleared(ctx, e.ID); err != nil || gone {
		return nil, err // its writer finished while we waited for the lock
	}
	r := &Recovered{Operation: rec.Operation}
	states := make([]state, len(rec.Ops))
	for i := range rec.Ops {
		o := &rec.Ops[i]
		r.Paths = append(r.Paths, o.Path)
		s := spaces[o.Space]
		if s == nil || s.Files == nil {
			states[i] = foreign
			continue
		}
		if states[i], err = o.state(ctx, s.Files); err != nil {
			return nil, err
		}
		r.Finished = r.Finished || states[i] == done || states[i] == begun
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
		if err := o.finish(ctx, spaces[o.Space].Files, states[i]); err != nil && !errors.Is(err, fsys.ErrNotDurable) {
			return nil, fsys.Explain(err, "finish the write of %s", o.Path)
		}
	}
	return r, w.recordRecovered(ctx, e.ID, rec, states, spaces)
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

// recordRecovered indexes a finished change set and clears its entry. Where
// another program has changed a file since, what the change set wrote becomes
// the version before: the row is made to look out of date, so that the next
// sync indexes what is there now.
func (w *Writer) recordRecovered(ctx context.Context, entry int64, rec *record, states []state, spaces map[int64]*Space) error {
	wr := kb.Write{Time: rec.Time, Actor: rec.Actor, Operation: rec.Operation, Message: rec.Message, Undoes: rec.Undoes}
	bySpace := map[int64]*index.Group{}
	var order []int64
	for i := range rec.Ops {
		o := rec.Ops[i]
		space := spaces[o.Space]
		if space == nil || space.Files == nil {
			continue
		}
		it, ok, err := w.recoveredItem(ctx, space, o, states[i])
		if err != nil {
			return err
		}
		if !ok {
			continue
		}
		if bySpace[o.Space] == nil {
			bySpace[o.Space] = &index.Group{Space: space.Space}
			order = append(order, o.Space)
		}
		bySpace[o.Space].Items = append(bySpace[o.Space].Items, it)
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
		return tx.Journal().Clear(ctx, entry)
	})
}

// recoveredItem reads the row that an operation started from; ok is false
// when the index already says what the operation wanted.
func (w *Writer) recoveredItem(ctx context.Context, space *Space, o op, s state) (it index.Item, ok bool, err error) {
	from := o.Path
	if o.From != "" {
		from = o.From
	}
	var row *store.Document
	err = w.Memory.View(ctx, func(tx store.Tx) error {
		row, err = tx.Documents().ByPath(ctx, space.Row, from)
		return err
	})
	if kb.CodeOf(err) == kb.NotFound {
		row, err = nil, nil
	}
	if err != nil || row == nil && o.New == nil || row != nil && o.From == "" && o.New != nil && row.Hash == index.Hash(o.New) {
		return it, false, err
	}
	mod := unknownTime
	if s != foreign {
		mod = w.modTime(&target{space: space, to: o.Path, gone: o.New == nil})
	}
	return w.item(space, row, o, mod), true, nil
}
