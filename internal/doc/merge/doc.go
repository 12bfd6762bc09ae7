// Package merge puts two changes of one document together: what happened to it
// since a version, and what somebody wants to have changed in that version.
//
// Changes are compared by lines. Those that do not touch are both done. Two
// that stand side by side do not touch when a unit of the document ends between
// them: a metadata key, a list item, an observation or relation, a timeline
// entry, a heading, a paragraph. Everything else is a conflict, and a document
// with a conflict is not merged at all.
//
// Invariants: each byte of a merged document comes from one of the versions; a
// change that both sides made is done once; encoding, byte order mark and line
// ends stay; a merged document reads as well as the versions it came from.
//
// Links is for changes of nothing but the targets of links, which stand in lines
// that others change, too: it compares by words.
//
// It is pure.
package merge
