package lexical

import (
	"context"

	"github.com/cairn-kb/cairn/internal/search/query"
)

// Options limits a search. The zero value asks only for the exact total.
type Options struct {
	// Limit is the number of hits to return, 0 for none. Hits with the same score as the
	// last one are returned in addition, so that the caller can order ties and then cut off
	// the rest.
	Limit int

	// Count is the number of matching documents to count, 0 for all: if more match, the
	// total is a lower bound.
	Count int

	// Allowed is the set of documents that may be returned; nil allows all.
	Allowed *IDs

	// Filter returns the documents that match a filter in the query's tree. It may be nil if
	// there are no filters: a filter then matches nothing.
	Filter func(context.Context, query.Filter) (*IDs, error)
}

// Result is the answer to a search.
type Result struct {
	Total   int   // number of matching documents
	AtLeast bool  // Total is a lower bound: Options.Count
	Hits    []Hit // best first; equal scores by ascending ID
}

// Hit is one matching document.
type Hit struct {
	ID     int64
	Score  float64  // BM25F, at least 0; comparable within one result only
	Fields FieldSet // fields with the query's words
	Terms  []string // words of the query that were found, as typed

	// Coverage is the share, 0 to 1, of the query's inverse document frequency that belongs
	// to the words found: 1 if all were found. It is the reliability of the lexical evidence
	// in a fusion. Words found only in markup count in Markup instead.
	Coverage, Markup float64

	// Part is Score divided by the maximum score of a document for the query's words: from 0
	// to 1, and comparable between queries.
	Part float64
}
