// Package sqlite keeps a memory in one SQLite file.
//
// A handle has one connection for writes and as many for reads as there are
// concurrent readers. Reading transactions see a snapshot (WAL) and are never
// blocked; writing transactions start with BEGIN IMMEDIATE, so that a
// transaction that began can always finish. A committed transaction is on disk
// (synchronous=FULL).
//
// Columns with a time hold microseconds since 1970, NULL for the zero time;
// columns that end in _ns hold nanoseconds, because a file's modification time
// is compared exactly. Facts of a page (links, observations, entries, warnings)
// have the page's row number shifted left by factBits, plus their position, as
// their row number, so that the table itself is the index by page. Columns that
// end in _fold hold the result of foldText, for comparison without case. Values
// are passed as arguments, never in the text of a statement.
//
// The package uses the driver of modernc.org/sqlite directly: it manages
// connections, transactions and statements itself, and database/sql would only
// add its own pool. connPool keeps idle reading connections; a reader never
// waits long, because a read within another read would otherwise wait for
// itself.
//
// Locks are files in a directory next to the database. Every process that has
// the memory open shares one of them; a restore takes it exclusively and
// replaces the database while SQLite has no file open.
//
// Read tx.go and conn.go first, then documents_put.go for the write path and
// filter.go for queries. Each role of store.Tx has a file of its name.
package sqlite
