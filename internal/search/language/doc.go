// Package language knows languages other than English as far as keyword search needs it:
// their function words, by which texts and questions are recognised, their stems, and
// whether they write compounds as one word.
//
// It is applied to the words of a memory when a question is asked, not when pages are
// indexed: what the words of a page are does not depend on it, so that it can change
// without a new index. Words are folded as package analysis folds them: lower case, no
// accents.
package language
