// Package directory lists in SQLite what is in the directories of a space; see
// store.Directories.
package directory
