// Package read answers questions about pages as they are now: it syncs the
// directories in question, embeds new pages for a short while, and calls package
// retrieve.
//
// Reading writes no page. Only the index and vectors follow files.
package read
