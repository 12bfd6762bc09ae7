// Package jobs does what is to be done now and then: sync, embed, age and compact
// pages, prune old versions, merge the full-text index, check the memory against
// itself, tell of routines. It knows when each is due, and what became of it the last time.
//
// One process at a time does jobs. A job that fails keeps no other from being
// done, and is tried again sooner than it would be due. Nothing is pruned because
// of a clock that may be wrong.
package jobs
