// Package cairntest is the binary that users have, for tests that run it: built
// once for the tests of a package.
//
// It imports what the binary is made of, so that go test keeps no result that
// an older binary gave. It is imported by tests only.
package cairntest
