// Package compaction makes one page of several stale ones that belong together: it
// finds the clusters of a space, has each summed up, and writes the summary, the
// members' new status and the links that led to them in one write for each cluster.
//
// A member's text stays as it is, and the member stays where it is. A cluster of which
// a page changed since it was looked at is left for the next time. Who writes a summary
// decides nothing but its words: they are checked as those of a stranger.
package compaction
