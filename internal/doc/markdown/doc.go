// Package markdown reads and edits Markdown pages with YAML frontmatter.
//
// One pass over the lines finds the blocks of CommonMark that cairn needs: code, comments,
// list items, quotations and headings, and the line between truth and timeline. A second
// pass over each paragraph finds the links. Only spans of the markup are kept.
//
// Invariants: those of package doc. Every loop takes time linear in the text: a failed
// search is remembered and not repeated, and nesting beyond a fixed depth is ignored.
package markdown
