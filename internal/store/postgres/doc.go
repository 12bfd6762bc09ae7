// Package postgres keeps memories in a PostgreSQL database, each in a schema of its own.
//
// The statements are those of package relational, which SQLite runs too. This package opens
// connections, translates placeholders, and decides what happens between processes:
//
//   - A View is one REPEATABLE READ transaction that cannot write.
//   - An Update takes the memory's advisory lock for its transaction, under READ COMMITTED:
//     with an older snapshot than the lock it could not see the writer before it. Statements
//     without an answer are sent with the next one that has one.
//   - A lock between processes (Engine.Lock) is an advisory lock of a transaction that stays
//     open and idle, so that a pooler in transaction mode keeps its connection. Each holder
//     gets a token of its own, which commits check: a process that lost a lock cannot commit.
//   - Each statement that could be run outside of a schema names it, and each transaction
//     sets its search_path, so that connections can be shared between memories.
//
// Text in PostgreSQL is valid UTF-8 without NUL. escape.go maps any other text to such and
// back, so that everything that SQLite stores is stored here as well.
//
// Read engine.go first, then tx.go and conn.go.
package postgres
