// Package clause makes parts of SQL statements: the conditions of filters over pages
// and documents, lists of values, orders and limits. It also has the fold by which
// text compares, since columns that end in _fold hold it.
//
// It runs nothing and knows no database handle. Values go into arguments, never
// into the text of a statement.
package clause
