// Package export writes the documents of a space into a directory, as they are or in one
// form, and compares directories of documents by what they say.
package export
