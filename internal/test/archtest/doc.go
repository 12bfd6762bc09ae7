// Package archtest holds the rules of this repository's structure as tests:
// who may import whom, who may touch files, clocks, the environment, the
// network and SQL, how packages and files are laid out, and how large files,
// packages and types may get. Every rule names its reason, and fails as well
// when what it is about has gone, so that no rule outlives its subject without
// a word.
//
// The rules read the source with go/parser, for all systems and build tags at
// once, and run no other program but the Go command for the list of modules.
package archtest
