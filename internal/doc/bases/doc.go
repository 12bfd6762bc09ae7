// Package bases reads Obsidian Bases (.base), views over notes in YAML, as pages: each
// has a title and its bytes, with history, permissions and undo, and no text that is
// searched, since its filters say nothing about what anybody knows.
//
// Pages of this format are written whole. New takes a base and checks that it is a map
// of YAML; what its members mean is for Obsidian to say.
package bases
