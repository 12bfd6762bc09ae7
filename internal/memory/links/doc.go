// Package links reads the edges between pages: the links at a page, as they hold at
// a time, the pages around it, and the one link that somebody means. It changes
// nothing.
package links
