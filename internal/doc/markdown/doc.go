// Package markdown reads and edits Markdown pages with YAML frontmatter.
//
// One pass over the lines finds the blocks as CommonMark does, as far as
// cairn needs them: what is code, comment, list item, quotation or heading,
// and where a page's line is. A second pass over each paragraph finds the
// links. Nothing is kept of the markup but spans.
//
// Invariants: those of package doc. Every loop takes time linear in the text:
// a search that failed is remembered and not repeated, and nesting beyond a
// fixed depth is not followed.
package markdown
