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
//
// Package assertion keeps in SQLite what is asserted beside documents; see
// store.Assertions.
//
// Package batch holds the statements about batches: what came from outside in one go,
// and which stored bytes belong to it.
//
// Package claim reads and keeps in SQLite what may contradict each other; see
// store.Claims.
//
// Package clause makes parts of SQL statements: the conditions of filters over pages
// and documents, lists of values, orders and limits. It also has the fold by which
// text compares, since columns that end in _fold hold it.
//
// It runs nothing and knows no database handle. Values go into arguments, never
// into the text of a statement.
//
// Package dbfile knows the files of a memory that SQLite keeps: their names, the
// record of which file is the memory while it is open, the lock that everyone who
// has it open shares, and what a restore does with them. It never looks into a
// database, and SQLite has none of them open while one is replaced.
//
// Package directory lists in SQLite what is in the directories of a space; see
// store.Directories.
//
// Package entry finds timeline entries of many pages in SQLite; see store.Items.
//
// Package fact reads what many pages say in SQLite; see store.Facts.
//
// Package life reads from SQLite what ages of the pages of a space, and how
// many they are; see store.Lives.
//
// Package pool keeps the connections that a memory is read with, for whoever
// reads next. It says when to open another one and never opens or closes one
// itself, so it knows nothing of SQLite and imports no package of cairn.
//
// Nobody waits for long: a reader that reads within another's read would
// otherwise wait for itself.
package sqlite
