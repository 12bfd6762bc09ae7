// Package relational implements the roles of store.Tx for databases that speak SQL. An
// engine gives a Conn, which is one open transaction, and a Dialect, which has the few
// expressions that differ between databases. Everything else exists once: the same
// statements run in SQLite and PostgreSQL, so both store the same and rank the same.
//
// Statements use the placeholders ? and ?1, and these conventions of their tables:
// columns with a time hold microseconds since 1970, NULL for the zero time; columns that
// end in _ns hold nanoseconds, because a file's modification time is compared exactly.
// Facts of a page (links, observations, entries, warnings) have the page's row number
// shifted left by factBits, plus their position, as their row number, so that the table
// itself is the index by page. Columns that end in _fold hold the result of foldText, for
// comparison without case. Booleans are 0 and 1. Text is ordered by its bytes. Values are
// passed as arguments, never in the text of a statement.
//
// They also contain hints for SQLite's planner, which other engines strip: CROSS JOIN … ON
// keeps the written order, INDEXED BY names an index, a + before a column keeps a condition
// from using one, and OR FAIL avoids a journal of the statement.
//
// Read tx.go and dialect.go first, then documents_put.go for the write path and filter.go
// for queries. Each role of store.Tx has a file of its name.
package relational
