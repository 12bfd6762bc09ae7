// Package slowtest marks the tests that take long: those that stop at every step,
// kill processes, simulate a year or run clients written by others. Without
// CAIRN_SLOW=1 they are skipped, or do a part of their work. .ci/slow runs them in
// full.
//
// .ci/slow finds them by the calls of Skip, Count and Step, so a test function calls
// these itself and not through a helper. It is imported by tests only.
package slowtest
