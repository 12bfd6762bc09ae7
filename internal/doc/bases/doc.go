// Package bases reads Obsidian Bases (.base), views over notes in YAML, as pages. Each has a
// title, its bytes, history, permissions and undo, but no searchable text, because filters
// contain no knowledge.
//
// Pages of this format are written as a whole. New checks that a base is a YAML map. Views
// reads those views that only filter and sort pages; other parts of a base are interpreted
// only by Obsidian.
package bases
