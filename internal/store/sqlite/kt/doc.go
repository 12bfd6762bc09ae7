// Package kt reads the database of kt, the knowledge tracker, as plain values. It
// writes nothing and decides nothing.
package kt
