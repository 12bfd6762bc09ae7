// Package lintpages reads documents and runs package lint on them: on whole
// spaces, on named pages, or on a text that is not stored yet.
//
// It changes nothing. The same rules judge writes, in package write.
package lintpages
