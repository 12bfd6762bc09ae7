// Package sidecar reads and edits the sidecar of a document: data of other
// programs by source, the time of each fetch, and assertions, as one JSON
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
// Invariants: an edit changes only its own bytes, so that the order of keys,
// blanks and unknown keys stay; a malformed sidecar is never edited, and the
// error has the line.
//
// It is pure.
package sidecar
