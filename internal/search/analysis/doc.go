// Package analysis turns text into the terms of the full-text index, for
// documents and queries alike.
//
// A term is:
//   - A word: letters, digits and their marks, folded (compatibility forms,
//     letter case, accents of Latin, Greek, Cyrillic, Hebrew and Arabic).
//     Everything else separates words, so node.js is two neighbouring words,
//     and a possessive 's is dropped.
//   - In scripts written without spaces (Han, kana, Hangul, Thai, Lao, Khmer,
//     Myanmar), each pair of neighbouring characters, and in documents the last
//     character of a run, so that every substring can be found: two or more
//     characters as a phrase, one as a prefix.
//   - A name with significant punctuation, as a whole: c++, c#, .net,
//     notepad++.
//   - An emoji or pictograph.
//
// Invariants: terms are valid UTF-8 if the text is, at most MaxTerm bytes long,
// never empty and never begin with a zero byte; positions ascend, by one from
// word to word; ASCII text is read without allocating.
//
// The package is pure. A change to its results changes the stored index: raise
// Version.
package analysis

// Version identifies the analysis. An index written by another version must be rebuilt.
const Version = 1

// MaxTerm is the maximum length of a term in bytes; longer words are cut, in documents and
// queries alike. A SHA-512 in hexadecimal fits.
const MaxTerm = 128
