// Package table reads pipe tables in the text of a document, and plans edits of their rows
// that change no other byte.
package table
