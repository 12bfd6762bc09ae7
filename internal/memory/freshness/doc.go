// Package freshness makes the index agree with files before a question is
// answered: it syncs the directories that the question is about, or the one
// file that it names, and reports what it could not read.
//
// Invariants:
//   - A question waits for no writer longer than store.ReadPatience, and in a
//     directory that was never synced for seconds; it is answered from the
//     index, with a note.
//   - Files are read and never written.
//
// It words no hints of its own and knows no surface.
package freshness
