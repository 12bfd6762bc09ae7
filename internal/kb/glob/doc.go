// Package glob matches slash-separated paths against shell patterns. The running
// time is at most proportional to the product of both lengths, for any pattern.
//
// Patterns have the syntax of doublestar: * matches within one path element, **
// between slashes any number of elements, ? one character, [a-z] a class, {a,b}
// alternatives, and a backslash quotes the next character. A pattern that ends
// in /** also matches the directory itself.
//
// The package is pure: patterns and paths in, decisions out.
package glob
