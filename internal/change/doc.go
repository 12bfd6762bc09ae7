// Package change plans what is done to several pages in one write: which pages a
// request means (refs, directories, conditions), and what becomes of each (edits,
// a new path, relations, deletion). It changes nothing itself.
package change
