// Package freshness syncs the index with files before a question is answered: with
// the directories in question, or with the one file that it names. It reports files
// that it could not read.
//
// Invariants:
//   - A question waits for no writer longer than store.ReadPatience, and in a
//     directory that was never synced for seconds; it is answered from the
//     index, with a note.
//   - Files are read and never written.
//
// It has no hints of its own and does not depend on surfaces.
package freshness
