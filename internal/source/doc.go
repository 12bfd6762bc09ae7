// Package source keeps what pages are made from: a stub with the address, the day and an
// excerpt, and where it is asked for the whole beside it. Nothing is fetched.
//
// Invariants:
//   - What is there is never replaced, so that agents can only add.
//   - Nothing with a credential is kept.
//   - The text of a source is data: in the stub an editor neither runs nor links any of it.
package source
