// Package routine says which routines of a space are due, by its policy and its pages, and
// notes when one was done: under the heading "Last run" of its dossier, or as last_run in the
// metadata of its page. What was missed several times is due once.
package routine
