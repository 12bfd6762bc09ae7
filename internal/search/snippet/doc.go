// Package snippet shows the occurrences of a query's words in a document: the passage with
// most of them, as clean text with the positions of the words and the lines of the passage.
//
// Invariants: the text is valid UTF-8 without control characters or line breaks, at most as
// long as requested; no character is cut; matches ascend and do not overlap. The time is
// linear in the document, the memory in the passage.
//
// The package is pure. Words match as in the full-text index, through search/analysis.
package snippet
