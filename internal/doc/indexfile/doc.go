// Package indexfile makes the index files of a space: tables of its pages by type, in Org or
// in Markdown.
//
// It is pure, and its output depends only on the pages: it contains no timestamps, so that
// two machines produce the same bytes, and ids are plain text, so that an index does not
// link to pages.
package indexfile
