package lexical

import (
	"context"

	"github.com/cairn-kb/cairn/internal/search/query"
)

// Options bound a search. The zero value asks for the total alone, exactly.
type Options struct {
	// Limit is the number of hits to return, 0 for none. Hits with the same
	// score as the last one are returned in addition: the caller decides the
	// order of equals and can then cut off the rest.
	Limit int

	// Count is the number of matching documents to count, 0 for all: when more
	// match, the total is a lower bound.
	Count int

	// Allowed is the set of documents that may be returned; nil allows all.
	Allowed *IDs

	// Filter returns the documents that match a filter left in the query's
	// tree. It may be nil when there is none: such a filter matches nothing.
	Filter func(context.Context, query.Filter) (*IDs, error)
}

// Result is the answer to a search.
type Result struct {
	Total   int   // documents that match
	AtLeast bool  // or more: Total is Options.Count
	Hits    []Hit // best first; equal scores by ascending ID
}

// Hit is one matching document.
type Hit struct {
	ID     int64
	Score  float64  // BM25F, at least 0; comparable within one result only
	Fields FieldSet // where the query's words were found
	Terms  []string // which of the query's words were found, as typed

	// Coverage is the share, 0 to 1, of the query's inverse document frequency
	// that the found words have: 1 when all were found. It is the reliability
	// of the lexical evidence when fused with other evidence. Words found only
	// in markup do not count in it: they are in Markup.
	Coverage, Markup float64

	// Part is Score divided by the maximum that the query's words can give a
	// document: from 0 to 1, and comparable between queries.
	Part float64
}
