// Package embed defines the interface for turning texts into vectors. Its
// subpackages implement it: packed in process, with a packed model, on top of
// tokenizer, model and kernel; bge is the one built into the binary; modeldir runs
// a model from a directory; remote asks a server.
//
// Invariants: every implementation passes the suite in embedtest. A text that
// is too long is refused with its length, never cut.
package embed
