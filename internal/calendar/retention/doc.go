// Package retention lets go of what a space's policy says is of a time: pages that nobody
// changed for so long, which are deleted or moved, and sections of a page that are older
// than the newest few of their kind. What it takes away is in the history, and can be
// restored.
package retention
