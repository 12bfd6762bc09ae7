// Package fsystest is the contract of fsys.FS as a suite of tests, and the
// directory that tests of several processes share, and programs that tests run. An
// implementation supplies a constructor and runs it.
//
// It is imported by tests only.
package fsystest
