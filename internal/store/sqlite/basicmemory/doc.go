// Package basicmemory reads the database of Basic Memory, as far as its notes do not
// hold the same, as plain values. It writes nothing and decides nothing.
package basicmemory
