// Package lexical is cairn's full-text index: an inverted index with positions, stored as
// immutable segments in the store's own transaction and scored with BM25F.
//
// A segment consists of byte streams cut into pages, a header and a list of deletions; its
// format is described in segment.go. Putting a page writes a small segment and marks the
// page's older entry as deleted; small segments are merged as they accumulate.
//
// Invariants:
//   - A transaction sees exactly the documents in the index: document frequencies and average
//     lengths count live documents only, so results and scores do not depend on how documents
//     are distributed over segments.
//   - Documents and queries are split into words in the same way: both use search/analysis.
//   - For any bytes that a store returns, reading gives results or an error with code
//     kb.Damaged, and no panic.
//
// It declares the Reader and Writer that a store implements.
package lexical
