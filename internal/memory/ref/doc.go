// Package ref reads what a person or an agent calls a page by, and finds the page
// that is meant: by id, short id, path, slug, title or alias, in the caller's space
// first. What names no page gets suggestions, what names several the candidates.
//
// It reads the index and no file.
package ref
