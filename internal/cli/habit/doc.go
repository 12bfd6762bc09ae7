// Package habit knows what other programs call the things that cairn's commands
// do, so that a name typed by habit leads to the command that is meant.
//
// Invariant: names are in lower case, and none is a command of cairn; a test in
// cli holds the latter.
//
// It is data, and pure.
package habit
