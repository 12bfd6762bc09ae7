// Package sqlite keeps a memory in one SQLite file.
//
// A handle holds one connection that writes and as many that read as are
// asked for at once. Reading transactions see a snapshot (WAL) and are never
// blocked; writing transactions start with BEGIN IMMEDIATE, so that one that
// began can always finish. Everything a transaction acknowledged is on disk
// (synchronous=FULL).
//
// Columns that hold a time hold microseconds since 1970, NULL when the time
// is zero; columns that end in _ns hold nanoseconds, because a file's
// modification time is compared exactly. Facts of a page (links,
// observations, entries, warnings) have row numbers of the page's row shifted
// left by factBits plus their position, so that the table itself is the index
// by page.
//
// Columns that end in _fold hold what fold returned, for comparing without
// regard to case.
//
// It uses modernc.org/sqlite through its driver directly: connections,
// transactions and statements are managed here, and database/sql would only
// add its own pool on top.
//
// Locks are files in a directory beside the database. Everyone who has the
// memory open shares one of them, which a restore holds exclusively.
package sqlite
