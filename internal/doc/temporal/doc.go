// Package temporal reads what a page says about time: as of which day its truth
// holds, which of its relations it says are over, and since when. It is the only
// reader of such statements; rules compare what it returns.
//
// It understands plain sentences, in English and in six other languages, in the truth, the summary, values of the
// metadata, contexts of relations and timeline entries. The patterns are narrow on
// purpose: a sentence about somebody else, a plan, a rumour, a quotation or code
// must not count, and a missed sentence costs less than a wrong one.
package temporal
