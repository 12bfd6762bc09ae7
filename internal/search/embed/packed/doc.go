// Package packed embeds with a packed model (see package model): the built-in one, or one
// from a file.
//
// Invariants: the model is prepared by the first call that needs it, and then shared. The
// weights are used in place, in the binary or in the file.
package packed
