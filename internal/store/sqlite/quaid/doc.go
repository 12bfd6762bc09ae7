// Package quaid reads a database of quaid, of any of its versions, as plain values: by the
// columns that it has. It writes nothing and decides nothing.
package quaid
