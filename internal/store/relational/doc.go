// Package relational implements the roles of store.Tx for SQL databases. An engine provides
// a Conn, which is an open transaction, and a Dialect with the few expressions that differ
// between databases. Everything else exists once: the same statements run in SQLite and
// PostgreSQL, so both store the same data and rank results in the same way.
//
// Statements use the placeholders ? and ?1, and tables follow these conventions. Columns
// with a time hold microseconds since 1970, NULL for the zero time. Columns that end in _ns
// hold nanoseconds, because a file's modification time is compared exactly. The row number
// of a page's fact (link, observation, entry, warning) is the page's row number shifted left
// by factBits, plus the position of the fact, so that the table itself is the index by page.
// Columns that end in _fold hold the result of foldText, for comparison without case.
// Booleans are 0 and 1. Text is ordered by its bytes. Values are passed as arguments, never
// in the text of a statement.
//
// Statements also contain hints for SQLite's planner, which other engines strip: CROSS JOIN
// … ON keeps the written order, INDEXED BY names an index, a + before a column keeps a
// condition from using one, and OR FAIL avoids a journal for the statement.
//
// Read tx.go and dialect.go first, then documents_put.go for the write path and filter.go
// for queries. Each role of store.Tx has a file of its name.
package relational
