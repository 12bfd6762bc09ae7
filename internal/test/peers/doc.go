// Package peers tests that clients made by others can use the real binary: the
// official inspector's command line, both generations of the TypeScript SDK,
// the Python SDK, and the Go SDK; that generators make working clients of the
// OpenAPI document; and that clients can start the entries that cairn setup writes.
//
// It has tests only. The clients of other languages are installed by their own
// package managers, from the pinned lists in testdata, into a directory that is
// kept between runs: that of CAIRN_PEERS, else one in the user's cache. If that
// fails the tests are skipped and name the missing program; in CI they fail.
package peers
