// Package table reads tables of pipes in the text of a document, and plans edits of their
// rows that leave every other byte as it is.
package table
