// Package torture holds the tests that nothing is ever lost: processes that
// are killed while they write, writers that race in one process and across
// several, and the mistakes seen in programs of this kind, by name.
//
// It has tests only. They use what a user has: the real binary, built once for
// a run, or internal/memory, over a real directory, a real database and real
// processes; for a change set that no use case makes, they use
// internal/memory/write as app does. No test waits for time to pass or passes
// because of it: a slow machine only makes fewer interleavings.
//
// How many rounds of killing there are is the flag -torture.rounds.
package torture
