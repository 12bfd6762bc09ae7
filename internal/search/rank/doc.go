// Package rank fuses ranked lists of candidates into one.
//
// Each strategy is a pure function in a file of its own. A list is one kind of
// evidence (words, meaning, names); what a fused candidate owes to each list
// stands in its Votes, so that an answer can say why a page is where it is.
// What speaks for a candidate beside the lists is added to the fused scores
// afterwards, and votes as well: see Boost, Beside and Whole.
//
// Invariants:
//   - Results depend on the lists only; equal scores are in order of ID.
//   - A candidate that is in a list is in the result, once.
//   - A list of loose matches never gets a full vote, see vote.go.
//
// The package is pure.
package rank
