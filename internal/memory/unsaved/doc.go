// Package unsaved reads pages in the view of an editor: open pages with the
// editor's text, all others as indexed. It resolves the links of a text, finds the
// links to a page, and completes names.
//
// It reads the index and no files, and changes nothing.
package unsaved
