// Package claim reads and keeps in SQLite what may contradict each other; see
// store.Claims.
package claim
