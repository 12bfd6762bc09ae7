// Package safetext makes text from documents safe to show: on a terminal, which
// interprets escape sequences, and to a model, which reads characters that a
// person does not see.
//
// Invariants: the result of Text has no Dangerous rune except newlines and
// tabs; that of Line has none, and no line break. Printable text is unchanged.
//
// The package is pure.
package safetext
