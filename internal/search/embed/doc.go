// Package embed defines the interface for turning texts into vectors. Its
// subpackages implement it: bge in process, with the model built into the
// binary, on top of tokenizer, model and kernel; modeldir with a model from a
// directory; remote with a server.
//
// Invariants: every implementation passes the suite in embedtest. A text that
// is too long is refused with its length, never cut.
package embed
