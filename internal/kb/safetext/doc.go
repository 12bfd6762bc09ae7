// Package safetext makes text that comes from documents safe to show: on a
// terminal, which obeys escape sequences, and to a model, which reads what a
// person does not see.
//
// Invariants: the result of Text holds no rune that is Dangerous but newlines
// and tabs, that of Line none at all and no line break. Printable text comes
// back as it is.
//
// It is pure.
package safetext
