// Package git keeps a directory in a git repository, with the git program of the
// system (2.36 or newer; docs/adr says why it is no library).
//
// A Tree is a directory in a work tree. It tells the state of the repository, commits
// exact bytes at exact paths, fetches, fast-forwards and pushes. Nothing else in the
// repository changes: what a person has staged stays staged, other files stay as they
// are, a branch moves only from where it was looked at, and the lock of another
// program is waited for and never removed.
//
// git runs without GIT_ variables of the process, without a terminal and without
// prompts, in a process group of its own that is ended at its deadline. Paths go to it
// literally and end with NUL. It never asks a file system monitor, which is a program
// that the repository names, and talks to no remote that is a command.
package git
