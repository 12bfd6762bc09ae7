// Package exporter writes the documents of a space into a directory, as they are or
// normalised, and compares the content of directories of documents.
//
// It also exports the journal of a space into a directory of another program, without the
// parts that its policy and its page of rules withhold, and without credentials. Files there
// that were changed since their export stay and are reported; exported files that no longer
// belong to the export are removed.
package exporter
