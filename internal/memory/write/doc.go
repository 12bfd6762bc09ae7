// Package write is the one way in which pages change.
//
// Writer.Apply takes a change set, whoever asks for it, and reads as its
// steps: policy, lock, current bytes, expected version, spans, parse and
// validate, secret scan, journal, atomic replace, one index transaction.
// Either all of a change set happens or none of it.
//
// Callers who wait for the same space are served together by one of them, with
// one journal transaction and one index transaction for all.
//
// The commit point of a directory space is the first replaced file: a crash
// before it leaves nothing, and after it Recover finishes what the journal
// holds. A database space commits with the transaction alone.
//
// Invariants: no byte of a document changes by any other package; what is
// replaced is in the history first or in the same transaction; a version
// that was returned is the version that is stored.
//
// Package held keeps the list of writes whose commits could not be made yet.
package write
