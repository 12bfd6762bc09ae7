// Package gist says what a space knows now, in a few lines for whoever starts to work:
// its active pages, what contradicts itself, and what became stale. And it
// says where one page stands. It reads the index alone.
package gist
