// Package reconcile brings the index in step with a directory that other
// programs change: scan → compare → plan → apply.
//
// The plan is a pure function of what the scan found and what the index
// knows, so a dry run shows what a sync will do. Applying reads files in
// parallel and commits in batches, each under the space's lock and each
// leaving a consistent index: a sync that is stopped keeps what it has done,
// and readers and writers go on beside it. Files are read, never written.
package reconcile
