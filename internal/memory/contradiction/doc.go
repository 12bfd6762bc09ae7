// Package contradiction finds the contradictions in a memory: it collects the
// statements of pages, uses package lifecycle to find incompatible ones, and shows
// both sides. The policy of each space defines which predicates have one object,
// and how old a truth may be.
//
// Checks change nothing. A dismissed finding stays dismissed until one of its sides
// changes, since the id of a finding is derived from both.
package contradiction
