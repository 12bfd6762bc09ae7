// Package command holds what all commands of the command line share: the run
// with its environment and global flags, the opening of the memory, the checks of
// arguments, the printing of records, contents, notes and errors, exit codes,
// completion, and the flags that many commands have.
//
// Package habit maps the names that other programs use to cairn's commands, so
// that a name typed by habit leads to the right command.
//
// Invariant: names are in lower case, and none is a command of cairn; a test in
// cli holds the latter.
//
// It is data, and pure.
package command
