// Package read answers questions about pages as they are now: it syncs what the
// question is about, embeds new pages for a short while, and asks package retrieve.
//
// Reading writes no page. Only the index and vectors follow files.
package read
