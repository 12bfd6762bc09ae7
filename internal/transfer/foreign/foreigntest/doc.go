// Package foreigntest writes databases as kt and quaid do, for tests of their
// readers.
package foreigntest
