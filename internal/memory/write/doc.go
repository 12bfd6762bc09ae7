// Package write is the only package that changes pages.
//
// Writer.Apply takes a change set from any caller, and reads as its steps:
// policy, lock, current bytes, expected version, spans, parse and validate,
// secret scan, journal, atomic replace, one index transaction. A change set is
// applied completely or not at all.
//
// Callers that wait for the same space are served together by one of them, with
// one journal transaction and one index transaction for all.
//
// The commit point of a directory space is the first replaced file: a crash
// before it leaves nothing, and after it Recover finishes the change set from
// the journal. A database space commits with the transaction alone.
//
// Invariants: no other package changes a byte of a document; replaced text is
// in the history before, or in the same transaction; a version that was
// returned is the version that is stored.
//
// Commits to git that failed are kept in a list, pending.go, and retried.
//
// Read write.go first, then queue.go, set.go, commit.go and recover.go; the
// checks are in files of their names.
package write
