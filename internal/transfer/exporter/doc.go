// Package exporter writes the documents of a space into a directory, as they
// are or in one form, and compares directories of documents by content.
//
// Package journal exports the journal of a space into a directory of another
// program, without what its policy and the page of rules keep back, and without
// credentials. Files there that somebody changed stay and are reported; files
// of earlier exports that are not exported any more are removed.
package exporter
