// Package indexfile makes the index files of a space: tables of its pages by type, in Org
// or in Markdown.
//
// It is pure, and its output depends on the pages alone: no time of making stands in it,
// and ids stand as plain text, so that two machines make the same bytes, and an index
// links to no page.
package indexfile
