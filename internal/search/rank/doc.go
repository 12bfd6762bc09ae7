// Package rank fuses ranked lists of candidates into one.
//
// Each strategy is a pure function in its own file. A list is one kind of evidence
// (keywords, semantic similarity, names). The contribution of each list to a fused candidate
// is in its Votes, so that an answer can explain the rank of a page. Further evidence is
// added to the fused scores afterwards, also with votes: see Boost, Beside and Whole.
//
// Invariants:
//   - Results depend on the lists only; equal scores are ordered by ID.
//   - Every candidate in a list is in the result, once.
//   - A list of loose matches never gets a full vote, see vote.go.
//
// The package is pure.
package rank
