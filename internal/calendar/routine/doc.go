// Package routine determines which routines of a space are due, by its policy
// and its pages, and records when one was done: under the heading "Last run" of
// its dossier, or as last_run in the metadata of its page. A routine that was
// missed several times is due once.
//
// It announces each due routine once, and runs the command that the person's
// configuration has for that. It must never run a command from a space: a space may
// come from a stranger.
package routine
