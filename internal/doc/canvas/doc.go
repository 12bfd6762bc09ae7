// Package canvas reads JSON Canvas 1.0 (jsoncanvas.org), the boards of
// Obsidian, as pages. The text of a page is that of its text nodes and labels;
// its links are its file nodes and the edges to them.
//
// Pages of this format are read-only except for Retarget, which updates links
// to pages that move. New takes a whole canvas and checks it.
package canvas
