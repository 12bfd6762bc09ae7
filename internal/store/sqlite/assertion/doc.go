// Package assertion keeps in SQLite what is asserted beside documents; see
// store.Assertions.
package assertion
