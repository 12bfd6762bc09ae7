package history

import (
	"context"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/store"
)

// undone holds the writes that are currently undone.
type undone struct {
	target map[int64]int64 // maps a write that undoes another to the other
	back   map[int64]bool  // writes that are undone
}

// readUndone reads the state from the history.
func readUndone(ctx context.Context, tx store.Tx) (undone, error) {
	writes, _, err := tx.History().Writes(ctx, store.VersionFilter{Undoing: true}, 1<<30, 0)
	return undoneBy(writes), err
}

// Undone returns the writes that are currently undone as a whole.
func Undone(ctx context.Context, tx store.Tx) (map[int64]bool, error) {
	u, err := readUndone(ctx, tx)
	return u.back, err
}

// undoneBy derives the state from the writes that undo others, newest first: such a
// write counts unless a later one that counts undoes it.
func undoneBy(writes []kb.Write) undone {
	u := undone{target: make(map[int64]int64, len(writes)), back: map[int64]bool{}}
	for _, w := range writes {
		u.target[w.ID] = w.Undoes
		if !u.back[w.ID] {
			u.back[w.Undoes] = true
		}
	}
	return u
}

// step is the role of a write for undo and redo.
type step int

const (
	stepNone step = iota // undone, or a redo
	stepMade             // an ordinary write in effect
	stepUndo             // an undo in effect
)

// of returns the role of a write. Undoing an undo is a redo, and undoing a redo an
// undo.
func (u undone) of(id int64) step {
	if u.back[id] {
		return stepNone
	}
	is := stepMade
	for at := id; u.target[at] != 0; at = u.target[at] {
		if is == stepUndo {
			is = stepNone
		} else {
			is = stepUndo
		}
	}
	return is
}

// made returns the write that an undo reverts in the end.
func (u undone) made(id int64) int64 {
	for u.target[id] != 0 {
		id = u.target[id]
	}
	return id
}

// writeToUndo returns the number of a write, if it exists; for 0 the newest write
// that matches the filter, is in effect and is not a sync. Undo writes do not
// count: another undo goes one step further back.
func writeToUndo(ctx context.Context, tx store.Tx, id int64, f store.VersionFilter) (int64, error) {
	if id != 0 {
		_, err := tx.History().Write(ctx, id)
		if kb.CodeOf(err) == kb.NotFound {
			return 0, kb.Errorf(kb.NotFound, "there is no write %d", id).WithReason(kb.NoSuchWrite)
		}
		return id, err
	}
	u, err := readUndone(ctx, tx)
	if err != nil {
		return 0, err
	}
	found, err := newest(ctx, tx, f, func(w kb.Write) bool { return u.of(w.ID) == stepMade })
	if err == nil && found == 0 {
		err = nothingToUndo(f)
	}
	return found, err
}

// writeToRedo returns the newest undo in effect that matches the filter, and the
// write that it undid. After a later write there is nothing to redo.
func writeToRedo(ctx context.Context, tx store.Tx, f store.VersionFilter) (undo, made int64, err error) {
	u, err := readUndone(ctx, tx)
	if err != nil {
		return 0, 0, err
	}
	undo, err = newest(ctx, tx, f, func(w kb.Write) bool { return u.of(w.ID) != stepNone })
	if err == nil && u.of(undo) != stepUndo {
		err = kb.Errorf(kb.NotFound, "there is nothing to redo").WithReason(kb.NothingToRedo)
	}
	return undo, u.made(undo), err
}

// follows is the operation of writes that only follow others: their results are
// regenerated when the others are undone.
const follows = "region"

// newest returns the newest wanted write that matches a filter, except syncs and
// writes that follow others; 0 for none.
func newest(ctx context.Context, tx store.Tx, f store.VersionFilter, wanted func(kb.Write) bool) (int64, error) {
	window := 64
	for offset := 0; ; offset, window = offset+window, 2*window {
		writes, total, err := tx.History().Writes(ctx, f, window, offset)
		if err != nil {
			return 0, err
		}
		for _, w := range writes {
			// A filter cannot select the empty name, which is an actor of its own
			// here.
			if w.Actor.Kind != kb.Sync && w.Operation != follows && (f.Actor == (kb.Actor{}) || w.Actor == f.Actor) && wanted(w) {
				return w.ID, nil
			}
		}
		if offset+window >= total {
			return 0, nil
		}
	}
}
