// Package reconcile brings the index in step with a directory that other
// programs change: scan → compare → plan → apply.
//
// The plan is a pure function of what the scan found and what the index
// knows, so a dry run shows what a sync will do. Applying reads files in
// parallel and commits in batches, each under the space's lock and each
// leaving a consistent index: a sync that is stopped keeps what it has done,
// and readers and writers go on beside it. Files are read, never written.
//
// Package freshness makes the index agree with files before a question is
// answered: it syncs the directories that the question is about, or the one
// file that it names, and says what could not be looked at.
//
// Invariants:
//   - A question waits for no writer longer than store.ReadPatience, and in a
//     directory that was never synced for seconds; it is answered from what is
//     indexed, with a note.
//   - Files are read and never written.
//
// It words no hints of its own and knows no surface.
package reconcile
