// Package git keeps a directory in a git repository, with the git program of
// the system (2.36 or newer; docs/adr explains why it is not a library).
//
// A Tree is a directory in a work tree. It reports the state of the repository,
// commits exact bytes at exact paths, fetches, fast-forwards and pushes.
// Nothing else in the repository changes: staged changes of a person stay
// staged, other files stay, a branch moves only from the commit that was
// checked, and the lock of another program is waited for and never removed.
//
// git runs without GIT_ variables of the process, without a terminal and
// without prompts, in a process group that is ended at its deadline. Paths are
// passed literally and end with NUL. git never asks a file system monitor,
// which is a program named by the repository, and uses no remote that is a
// command.
//
// What direct.go and index.go can read and write of an ordinary repository needs
// no process: most of the time of a git command is its start.
package git
