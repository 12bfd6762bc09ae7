// Package sidecar reads and edits what a page keeps beside its document: data of
// other programs by source, when each was fetched, and assertions, as one JSON
// object.
//
//	{
//	  "sources": {"NAME": any JSON},
//	  "fetched": {"NAME": "2026-03-01T09:00:00Z"},
//	  "assertions": [
//	    {one object a line}
//	  ]
//	}
//
// Invariants: an edit changes the bytes that it means and no others, so that the
// order of keys, blanks and keys that cairn does not know stay; what cannot be
// read is never edited, and the error says the line.
//
// It is pure.
package sidecar
