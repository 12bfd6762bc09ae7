// Package fsystest is the contract of fsys.FS as a suite of tests: an implementation
// supplies a constructor and runs it. It also has the temporary directory and the scripts
// that tests of several processes use.
//
// It is imported by tests only.
package fsystest
