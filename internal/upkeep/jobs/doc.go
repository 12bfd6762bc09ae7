// Package jobs runs periodic work: sync, embed, age and compact pages, prune old
// versions, merge the full-text index, validate the memory, announce routines. It
// determines when each is due, and records the outcome of the last run.
//
// One process at a time runs jobs. A failed job does not prevent others, and is
// retried before it would be due again. A clock that may be wrong never causes
// pruning.
package jobs
