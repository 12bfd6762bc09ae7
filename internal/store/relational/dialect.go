package relational

// Dialect holds the expressions that differ between databases. Functions take the name of
// a column, or of a table to be, and return SQL.
type Dialect struct {
	NoBytes    string // an empty value of bytes
	LastBundle string // a query for the number of the newest row ever inserted into bundles
	// Behind is by how many microseconds the timeline of a page p is newer than its truth. A
	// date without day is the first one of an entry, and the last one of a truth. Its one
	// argument is a day: later entries do not count.
	Behind string

	Numbers func(table string) string // a table with the column value, from an argument []int64
	Texts   func(table string) string // likewise, from an argument []string
	Joined  func(column string) string
	// Contains is the condition that a column has an argument in it.
	Contains    func(column string) string
	BeyondASCII func(column string) string // that a list has more than ASCII, or perhaps that it has not
	// Shaped is the condition that a column matches a constant pattern of ?, *, and classes
	// in brackets; Globbed that it matches the argument that it returns.
	Shaped  func(column, pattern string) string
	Globbed func(column, pattern string) (condition, argument string)
	// PathMatches is the condition that a path matches a pattern of package glob, which is in
	// normal form C, when it is brought to that form itself.
	PathMatches func(column, pattern string) (condition, argument string, err error)

	// Renumber is a statement that sets the next row number of a table above the
	// existing ones; nil if the database always does that.
	Renumber func(table, key string) string

	// Far means that each answer takes a round trip to a server, so that it is better to ask
	// for several together, and that the connection remembers answers.
	Far bool
	// Refused reports whether a statement failed because of a constraint.
	Refused func(error) bool
}
