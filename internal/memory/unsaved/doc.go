// Package unsaved reads pages as an editor has them: those that are open with the text in
// the editor, all others as they are indexed. It finds where the links of a text lead, what
// links to a page, and the names that a writer may want.
//
// It reads the index and, of files, nothing. It changes nothing.
package unsaved
