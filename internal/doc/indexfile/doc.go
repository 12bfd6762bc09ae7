// Package indexfile makes the index files of a space: tables of its pages by
// type, in Org or in Markdown.
//
// It is pure, and its output depends on the pages alone: it contains no
// timestamps, so that two machines make the same bytes, and ids are plain text,
// so that an index links to no page.
package indexfile
