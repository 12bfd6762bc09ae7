// Package pgtest runs a PostgreSQL server for the tests of a process, and a proxy before it.
// Only tests and the benchmarks import it.
package pgtest
