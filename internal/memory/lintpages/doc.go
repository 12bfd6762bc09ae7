// Package lintpages reads the documents of spaces and lets package lint say what is wrong
// with them: of whole spaces, of pages that are named, or of a text that is nowhere yet.
//
// It changes nothing. The same rules judge writes, in package write.
package lintpages
