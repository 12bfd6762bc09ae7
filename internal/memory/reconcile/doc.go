// Package reconcile syncs the index with a directory that other programs change:
// scan → compare → plan → apply.
//
// The plan is a pure function of the scan and the index, so a dry run shows
// what a sync will do. Applying reads files in parallel and commits in batches,
// each under the space's lock and each leaving a consistent index: a stopped
// sync keeps its commits, and readers and writers continue meanwhile. Files are
// read, never written.
package reconcile
