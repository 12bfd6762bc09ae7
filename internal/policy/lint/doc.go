// Package lint finds problems in a document, in a source, and in the pages of a
// space as a set.
//
// It is pure: it takes documents, rows and the rules of a policy as data, and
// returns findings. It does no I/O and prints nothing.
//
// Invariants:
//   - A finding has a place and a kind. It contains an id, a key or a path, and
//     never other text of the document.
//   - New separates new faults from those that existed before a change,
//     independent of line numbers.
package lint
