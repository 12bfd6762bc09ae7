// Package embed says what it is to turn texts into vectors. Its subpackages do
// it: bge in process, with the model built into the binary, on top of
// tokenizer, model and kernel.
//
// Invariants: every implementation passes the suite in embedtest. A text that
// is too long is refused with its length, never cut.
package embed
