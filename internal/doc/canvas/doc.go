// Package canvas reads JSON Canvas 1.0 (jsoncanvas.org), the boards of Obsidian, as
// pages: the text of a page is what its text nodes and labels say, its links are
// its file nodes, and edges to these.
//
// Pages of this format are read-only: the one edit is Retarget, by which links
// follow pages that move. New takes a whole canvas and checks it.
package canvas
