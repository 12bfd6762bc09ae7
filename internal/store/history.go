package store

import (
	"context"
	"time"

	"github.com/cairn-kb/cairn/internal/kb"
)

// NewVersion is a change to record; Seq, Write and Version are set by Record.
type NewVersion struct {
	kb.Version
	Bytes     []byte // document after the change; nil if deleted or if Hash is already stored
	SideBytes []byte // the sidecar, likewise
}

// VersionFilter narrows the feed of versions; empty fields do not narrow.
type VersionFilter struct {
	Spaces       []int64
	Page         kb.ID
	Write        int64
	Last         int64    // with Write: the last write of the range from Write
	Actor        kb.Actor // Kind or Name or both
	Since, Until time.Time
	After        int64    // Seq greater than
	Paths        []string // at one of these
	Deleted      bool     // only deletions that are still the newest version of their page
	Undoing      bool     // only of undo writes
}

// History holds every version of every document.
type History interface {
	// Record appends a write with its versions and sets their Seq, Write and Version
	// (counting from the page's newest one; 1 for a new page), also in the page's document
	// row if it exists, and their Time and Actor, which are those of the write. Bytes are
	// stored once per hash, which is not checked. A write that already has an ID was
	// recorded in the same transaction: the versions are added to it.
	Record(ctx context.Context, w *kb.Write, versions []*NewVersion) error
	// Versions returns the matching versions, newest first, and their total number.
	Versions(ctx context.Context, f VersionFilter, limit, offset int) ([]kb.Version, int, error)
	// Version returns one version of a page; version 0 is the newest.
	// kb.NotFound when there is none.
	Version(ctx context.Context, space int64, page kb.ID, version int) (kb.Version, error)
	// AsOf returns the version of a page that was newest at t; kb.NotFound.
	AsOf(ctx context.Context, space int64, page kb.ID, t time.Time) (kb.Version, error)
	// Seq returns the greatest Seq recorded until t, 0 for none. It counts
	// writes up to the newest that is not later than t, even if a clock was set
	// back in between. AsOf has the same meaning.
	Seq(ctx context.Context, t time.Time) (int64, error)
	// State returns the newest version at this Seq of every document that existed then, in
	// the order in which the documents were first indexed.
	State(ctx context.Context, seq int64) ([]kb.Version, error)
	// Prune deletes the bytes of the versions given by Seq, and returns how many stored
	// bytes that freed. The versions themselves stay, and so do bytes that a document or
	// another version needs.
	Prune(ctx context.Context, seqs []int64) (freed int64, err error)
	// Bytes returns the stored bytes; kb.NotFound when they were pruned,
	// kb.Damaged when they do not match the hash.
	Bytes(ctx context.Context, h kb.Hash) ([]byte, error)
	// Ahead announces calls of Bytes for the texts of pages, so that a remote database can
	// answer all of them together. Texts that are too large to be cached are left out.
	Ahead(ctx context.Context, pages []kb.Page) error
	// Writes returns the writes with a matching version, newest first, and
	// their total number. A filter with conditions on writes only also returns
	// those without versions.
	Writes(ctx context.Context, f VersionFilter, limit, offset int) ([]kb.Write, int, error)
	// Write returns one write; id 0 is the newest. kb.NotFound.
	Write(ctx context.Context, id int64) (kb.Write, error)
}
