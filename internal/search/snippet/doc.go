// Package snippet shows where in a document a query's words are: the passage
// that holds most of them, as clean text with the places of the words and the
// lines it came from.
//
// Invariants: the text is valid UTF-8 without control characters or line
// breaks, within the bound asked for; no character is cut; matches ascend and
// do not overlap. Work is linear in the document, memory in the passage.
//
// The package is pure. Words match as in the full-text index, through
// search/analysis.
package snippet
