// Package archtest holds the rules of this repository's structure as tests:
// allowed imports, allowed uses of files, clocks, the environment, the network
// and SQL, and how packages and files are laid out. Every rule names its
// reason, and fails as well when its subject is removed, so that no rule
// outlives it unnoticed.
//
// The rules read the source with go/parser, for all systems and build tags at
// once, and run no other program but the Go command for the list of modules.
package archtest
