// Package language has the data of languages other than English for keyword search: their
// function words, by which texts and questions are recognised, their stems, and whether they
// write compounds as one word.
//
// It is applied to the words of a memory at query time rather than at indexing time, so that
// it can change without a new index. Words are folded as in package analysis: lower case, no
// accents.
package language
