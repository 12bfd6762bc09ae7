// Package life reads from SQLite what ages of the pages of a space; see store.Lives.
package life
