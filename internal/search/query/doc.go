// Package query reads what a person or an agent types into a search box: the
// grammar of words, phrases, operators and filters, and the grammar of dates.
//
// Invariants: Parse never fails and never panics, whatever the input; what it
// cannot understand it treats as text and says so in Query.Notes. The same
// input, clock and location give the same Query. Query.String is canonical:
// parsing it again gives the same tree.
//
// The package is pure. It does no I/O and reads no clock. How text becomes index
// terms is the business of search/analysis.
package query
