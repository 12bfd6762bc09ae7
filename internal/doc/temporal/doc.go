// Package temporal extracts the statements of a page about time: the day as of
// which its truth holds, the relations that it reports as ended, and their end
// dates. It is the only reader of such statements; rules compare its results.
//
// It understands plain sentences, in English and in six other languages, in the truth, the summary, values of the
// metadata, contexts of relations and timeline entries. The patterns are narrow on
// purpose: a sentence about somebody else, a plan, a rumour, a quotation or code
// must not count, and a missed sentence costs less than a wrong one.
package temporal
