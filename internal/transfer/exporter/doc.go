// Package exporter writes the documents of a space into a directory, as they are or in one
// form, and compares directories of documents by what they say.
//
// Package journal exports the journal of a space into a directory of another program,
// without what its policy and the page of rules keep back, and without credentials. Files
// there that somebody changed stay as they are and are told of; those that were exported
// before and no longer would be are removed.
package exporter
