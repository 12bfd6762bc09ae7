// Package pool keeps the connections that a memory is read with, for whoever
// reads next. It says when to open another one and never opens or closes one
// itself, so it knows nothing of SQLite and imports no package of cairn.
//
// Nobody waits for long: a reader that reads within another's read would
// otherwise wait for itself.
package pool
