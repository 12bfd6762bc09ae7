// Package merge combines two changes of one document: its history since a version, and the
// change that a writer wants to make to that version.
//
// Changes are compared by lines. Changes that do not touch are both applied. Adjacent
// changes do not touch if a unit of the document ends between them: a metadata key, a list
// item, an observation or relation, a timeline entry, a heading, a paragraph. Everything
// else is a conflict, and a document with a conflict is not merged.
//
// Invariants: each byte of a merged document comes from one of the versions; a change that
// both sides made is applied once; encoding, byte order mark and line ends stay; a merged
// document has no more parse problems than its sources.
//
// Links merges changes of link targets only. They can be in lines with other changes, so it
// compares by words.
//
// It is pure.
package merge
