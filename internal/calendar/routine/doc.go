// Package routine says which routines of a space are due, by its policy and its pages, and
// notes when one was done: under the heading "Last run" of its dossier, or as last_run in the
// metadata of its page. What was missed several times is due once.
//
// It tells once of each routine that becomes due, and runs the command that the person's
// configuration has for that. It must not run what a space names: a space may be a stranger's.
package routine
