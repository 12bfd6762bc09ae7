// Package kt accepts the command lines of kt, the knowledge tracker, and prints
// its JSON, so that hooks and instructions for kt keep working when the program
// of that name is a link to cairn. All work is done by use cases; nothing is
// decided here.
package kt
