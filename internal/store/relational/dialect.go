package relational

// Dialect holds the expressions that differ between databases. Functions take the name of a
// column or of a derived table, and return SQL.
type Dialect struct {
	NoBytes    string // an empty value of bytes
	LastBundle string // a query for the highest row number ever inserted into bundles
	// Behind is by how many microseconds the timeline of a page p is newer than its truth. A
	// date without a day is the first possible day for an entry, and the last possible day
	// for a truth. Its one argument is a day: later entries do not count.
	Behind string

	Numbers func(table string) string // a table with the column value, from an argument []int64
	Texts   func(table string) string // likewise, from an argument []string
	Joined  func(column string) string
	// Contains is the condition that a column contains an argument.
	Contains    func(column string) string
	BeyondASCII func(column string) string // that a list has characters beyond ASCII; it may have false positives
	// Shaped is the condition that a column matches a constant pattern of ?, *, and classes
	// in brackets; Globbed that it matches the returned argument.
	Shaped  func(column, pattern string) string
	Globbed func(column, pattern string) (condition, argument string)
	// PathMatches is the condition that a path, in Unicode normal form C, matches a pattern
	// of package glob, which has that form already.
	PathMatches func(column, pattern string) (condition, argument string, err error)

	// Renumber returns a statement that sets the next row number of a table above the
	// existing ones; nil if the database always does that.
	Renumber func(table, key string) string

	// Count returns a statement after which the database plans for the number of rows that
	// tables have by now, in this transaction too; nil if its plans do not depend on it.
	Count func() string

	// Far means that each query takes a round trip to a server, so that it is better to send
	// several together, and that the connection caches results.
	Far bool
	// Refused reports whether a statement failed because of a constraint.
	Refused func(error) bool
}
