// Package kt takes the command lines of kt, the knowledge tracker, and prints its JSON,
// so that hooks and instructions that name kt go on to work when the program of that
// name is a link to cairn. What is asked for is done by app; nothing is decided here.
package kt
