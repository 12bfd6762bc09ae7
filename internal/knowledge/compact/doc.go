// Package compact makes one page of several stale ones that belong together: it
// finds the clusters of a space, has each summed up, and writes the summary, the
// members' new status and the links that led to them in one write for each cluster.
//
// A member's text stays as it is, and the member stays where it is. A cluster of which
// a page changed since it was looked at is left for the next time. Who writes a summary
// decides nothing but its words: they are checked as those of a stranger.
//
// Package author has pages summed up by a program or a server that a person set: it
// quotes the pages as data, waits no longer and reads no more than it should, and takes
// the answer for the words of a stranger, which whoever asked has to check.
//
// Nothing is started or contacted without a setting, and only what the setting names: a
// redirect is an error. No error holds what was sent or answered, nor a key.
package compact
