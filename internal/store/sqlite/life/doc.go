// Package life reads from SQLite what ages of the pages of a space, and how
// many they are; see store.Lives.
package life
