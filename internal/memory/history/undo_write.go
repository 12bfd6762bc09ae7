package history

import (
	"context"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/store"
)

// undone says which writes have been taken back, and are so still.
type undone struct {
	target map[int64]int64 // of each write that takes one back: which
	back   map[int64]bool  // writes that are taken back
}

// readUndone reads it from the history.
func readUndone(ctx context.Context, tx store.Tx) (undone, error) {
	writes, _, err := tx.History().Writes(ctx, store.VersionFilter{Undoing: true}, 1<<30, 0)
	return undoneBy(writes), err
}

// Undone returns the writes that have been taken back as a whole, and are so still.
func Undone(ctx context.Context, tx store.Tx) (map[int64]bool, error) {
	u, err := readUndone(ctx, tx)
	return u.back, err
}

// undoneBy works it out from the writes that take others back, the newest first:
// such a write counts unless a later one that counts takes it back.
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

// step is what a write is to those who go back and forth.
type step int

const (
	stepNone step = iota // taken back, or a redo
	stepMade             // it made something, and is in effect
	stepUndo             // it took such a write back, and is in effect
)

// of returns what a write is. What takes back an undo is a redo, and what takes
// back a redo an undo.
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

// made returns the write that an undo has taken back in the end.
func (u undone) made(id int64) int64 {
	for u.target[id] != 0 {
		id = u.target[id]
	}
	return id
}

// writeToUndo returns the number of a write, if there is one; for 0 that of the
// newest that meets the filter, is in effect and no sync. An undo is not: to undo
// again goes one further back.
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

// writeToRedo returns the newest undo in effect that meets the filter, and the
// write that it took back. A later write ends what can be redone.
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
// regenerated when those are undone.
const follows = "region"

// newest returns the newest wanted write that meets a filter, except syncs and
// writes that follow others; 0 for none.
func newest(ctx context.Context, tx store.Tx, f store.VersionFilter, wanted func(kb.Write) bool) (int64, error) {
	window := 64
	for offset := 0; ; offset, window = offset+window, 2*window {
		writes, total, err := tx.History().Writes(ctx, f, window, offset)
		if err != nil {
			return 0, err
		}
		for _, w := range writes {
			// A filter knows no empty name, which is an actor of its own here.
			if w.Actor.Kind != kb.Sync && w.Operation != follows && (f.Actor == (kb.Actor{}) || w.Actor == f.Actor) && wanted(w) {
				return w.ID, nil
			}
		}
		if offset+window >= total {
			return 0, nil
		}
	}
}
