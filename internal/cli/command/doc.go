// Package command holds what all commands of the command line share: the run
// with its environment and global flags, the opening of the memory, the checks of
// arguments, the printing of records, contents, notes and errors, exit codes,
// completion, and the flags that many commands have.
package command
