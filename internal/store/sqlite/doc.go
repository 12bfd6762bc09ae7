// Package sqlite stores a memory in one SQLite file.
//
// A handle has one connection for writes and as many for reads as there are concurrent
// readers. Reading transactions see a snapshot (WAL) and are never blocked; writing
// transactions start with BEGIN IMMEDIATE, so that a transaction that has begun can always
// finish. A committed transaction is on disk (synchronous=FULL).
//
// The roles of store.Tx and the conventions of the tables are in package relational.
//
// The package uses the driver of modernc.org/sqlite directly: it manages connections,
// transactions and statements itself, and database/sql would only add its own pool. package
// pool keeps idle reading connections; a reader never waits long, because a read within
// another read would otherwise wait for itself.
//
// Locks are files in a directory next to the database. Every process with the memory open
// shares one of them; a restore takes it exclusively and replaces the database while SQLite
// has no file open.
//
// Read tx.go and conn.go first.
package sqlite
