package history

import (
	"testing"

	"github.com/cairn-kb/cairn/internal/kb"
)

// What undo and redo take is decided by which writes are in effect.
func TestUndone(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name       string
		undoes     []int64 // by write, from write 1; 0 makes something
		undo, redo int64   // what they take next, 0 for nothing
	}{
		{"nothing", nil, 0, 0},
		{"two writes", []int64{0, 0}, 2, 0},
		{"an undo", []int64{0, 0, 2}, 1, 3},
		{"two undos", []int64{0, 0, 2, 1}, 0, 4},
		{"two undos, a redo", []int64{0, 0, 2, 1, 4}, 1, 3},
		{"two undos, two redos", []int64{0, 0, 2, 1, 4, 3}, 2, 0},
		{"undo after redo", []int64{0, 0, 2, 1, 4, 3, 2}, 1, 7},
		{"a write after an undo", []int64{0, 0, 2, 0}, 4, 0},
		{"that one undone", []int64{0, 0, 2, 0, 4}, 1, 5},
		{"and redone", []int64{0, 0, 2, 0, 4, 5}, 4, 0},
		{"undo of an older one by number", []int64{0, 0, 0, 1}, 3, 4},
		{"undo of an undo by number", []int64{0, 0, 2, 3}, 2, 0},
		{"undo of a redo by number", []int64{0, 1, 2, 3}, 0, 4},
	} {
		var writes []kb.Write // newest first
		for i := len(tc.undoes) - 1; i >= 0; i-- {
			if tc.undoes[i] != 0 {
				writes = append(writes, kb.Write{ID: int64(i + 1), Undoes: tc.undoes[i]})
			}
		}
		u := undoneBy(writes)
		var undo, redo int64
		for id := int64(len(tc.undoes)); id > 0; id-- {
			is := u.of(id)
			if is == stepMade && undo == 0 {
				undo = id
			}
			if is == stepUndo && redo == 0 && undo == 0 {
				redo = id
			}
		}
		if undo != tc.undo || redo != tc.redo {
			t.Errorf("%s: undo takes %d and redo %d, want %d and %d", tc.name, undo, redo, tc.undo, tc.redo)
		}
	}
}
