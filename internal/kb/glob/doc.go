// Package glob matches slash-separated paths with shell patterns, in a time
// that is bounded by the product of both lengths, whoever wrote the pattern.
//
// A pattern means what it means to doublestar: * is anything within one
// element of a path, ** between slashes any number of whole elements, ? one
// character, [a-z] one of a class, {a,b} one of several, and a backslash takes
// a character as it stands. A pattern that ends in /** matches the directory
// itself, too.
//
// Pure: patterns and paths in, decisions out.
package glob
