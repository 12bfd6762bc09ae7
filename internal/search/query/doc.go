// Package query parses the input of a search box, from a person or an agent:
// the grammar of words, phrases, operators and filters, and the grammar of
// dates.
//
// Invariants: Parse never fails and never panics, for any input; anything that
// it does not understand is treated as text and reported in Query.Notes. The
// same input, clock and location give the same Query. Query.String is
// canonical: parsing it again gives the same tree.
//
// The package is pure. It does no I/O and reads no clock. Package
// search/analysis turns text into index terms.
package query
