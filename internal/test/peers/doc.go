// Package peers holds the tests that clients which others made can use the real
// binary: the official inspector's command line, both generations of the
// TypeScript SDK, the Python SDK, and the Go SDK; and that what cairn setup
// writes starts as the clients start it.
//
// It has tests only. The clients of other languages are installed by their own
// package managers, from the pinned lists in testdata, into a directory that is
// kept between runs: that of CAIRN_PEERS, else one in the user's cache. Where
// that cannot be done the tests are skipped and say what is missing; in CI they
// fail.
package peers
