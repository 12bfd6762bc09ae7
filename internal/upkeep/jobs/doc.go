// Package jobs runs periodic work: sync, embed, age and compact pages, prune
// old versions, merge the full-text index, validate the memory, announce
// routines. It knows when each is due, and how the last run ended.
//
// One process at a time does jobs. A job that fails keeps no other from being
// done, and is tried again sooner than it would be due. Nothing is pruned because
// of a clock that may be wrong.
package jobs
