// Package links reads the edges between pages: the links at a page at a given time,
// the pages around it, and single relations by number or content. It changes
// nothing.
package links
