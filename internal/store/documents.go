package store

import (
	"context"
	"slices"
	"time"

	"github.com/cairn-kb/cairn/internal/kb"
)

// Document is everything the index derives from one document.
type Document struct {
	Row     int64 // 0 for a new one
	Space   int64
	ID      kb.ID // id of the document's own page
	Path    string
	Format  string // doc.Format
	Hash    kb.Hash
	Size    int64
	ModTime time.Time // of the file; of the last write in a database space
	Side    kb.Sidecar
	Indexed time.Time // when it was read
	Version int       // of the newest kb.Version
	// Recorded is when that version was; zero when it is not known.
	Recorded time.Time
	Pages    []PageRecord
}

// PageRecord is one page of a document with its facts. Page.Row, Space,
// SpaceID, Path, Version, Hash, Side and Size are filled in by the store from the
// document; Row fields of the facts too.
type PageRecord struct {
	Page         kb.Page
	TruthSum     int64    // of the text of the truth, by which a change of it is seen
	TimelineSum  int64    // and of the timeline, 0 without one
	Declared     kb.ID    // id written in the document, "" when it has none
	Names        []string // keys by which it is found; see link.Names
	Refs         []string // the subjects of the page; stored as keys among Names only, so not read back
	Links        []kb.Link
	Observations []kb.Observation
	Entries      []kb.Entry
	Properties   []kb.Property
	Items        []kb.Item
	Endings      []kb.Ending
	Assertions   []kb.Assertion // of the document's sidecar; its own page has them
	Warnings     []Warning
}

// Warning is something in a document that was kept as opaque text.
type Warning struct {
	Page int64
	Code string
	Text string
	Line int
}

// FileState is the stored state of a file for comparison with the directory.
type FileState struct {
	Row      int64
	ID       kb.ID
	Path     string
	Hash     kb.Hash
	Size     int64
	ModTime  time.Time
	Side     kb.Sidecar
	Indexed  time.Time
	Declared bool // the document carries its id itself
}

// Documents holds one row per document with the rows derived from it.
type Documents interface {
	// Put inserts documents (Row 0) or replaces those with their Row, with
	// their pages and facts, and sets Row and Pages[i].Page.Row. The rows of
	// pages that stay (same node) are kept, so that links to them hold.
	// It takes the links of replaced documents away and leaves it to Links.Put
	// to insert the new ones. Documents of one call may exchange
	// paths and ids. kb.Conflict when a path or an id is taken within the
	// space, kb.NotFound when a Row is not there.
	Put(ctx context.Context, docs []*Document) error
	// Remove deletes documents with all rows derived from them; links to their
	// pages become unresolved. Unknown rows are ignored.
	Remove(ctx context.Context, rows []int64) error
	// States returns the state of every document of a space, by path.
	States(ctx context.Context, space int64) ([]FileState, error)
	// FileSums returns the sums over the files and sidecars of the documents of
	// a space, and the states of the documents that it leaves out, by path: a
	// file that was racy when it was indexed has no sum, since its size and time
	// prove nothing.
	FileSums(ctx context.Context, space int64) (sums kb.FileSums, without []FileState, err error)
	// Unlike returns those of States with a sum that is not one of sums, which
	// ascend, or without a sum, and those of sums without a document. It is
	// faster than States when these are few.
	Unlike(ctx context.Context, space int64, sums []int64) (states []FileState, unknown []int64, err error)
	// ByPath returns the document without its Pages; kb.NotFound.
	ByPath(ctx context.Context, space int64, path string) (*Document, error)
	// ByRow is ByPath for a known row.
	ByRow(ctx context.Context, row int64) (*Document, error)
	// Twins returns, for each of paths that has one, the path of a document of
	// the space that some system would treat as the same file, or for one in a
	// parent directory, although they are spelled differently (see
	// kb.FoldPath). A directory that has documents under this exact spelling is
	// not a twin, regardless of others. The documents of the rows in except do
	// not count.
	Twins(ctx context.Context, space int64, paths []string, except map[int64]bool) (map[string]string, error)
	// Load returns the document with all its Pages and facts; kb.NotFound.
	Load(ctx context.Context, row int64) (*Document, error)
	// Records returns the pages of documents, without their facts, by the rows of the
	// documents; kb.NotFound for any that is not there.
	Records(ctx context.Context, rows []int64) (map[int64][]PageRecord, error)
	// Ahead reads what Put will read of stored documents; see Foresee.
	Ahead(ctx context.Context, rows []int64) error
	// Touch records that a file with these bytes now has another size or
	// modification time, or its sidecar another time, or that they were checked
	// again; kb.NotFound. Pages with the old file time as their update time get
	// the new one.
	Touch(ctx context.Context, row int64, size int64, modTime, sideTime, indexed time.Time) error
}

// Filter selects pages. Empty fields select all; values within a field are
// alternatives, fields are combined with AND. Text is compared ignoring case,
// except for paths.
//
// A page matches a period by its Day, in the calendar of After and Before, or
// by Updated if the document itself has that date. A page without a Day also
// matches by the time at which its document was recorded.
type Filter struct {
	Spaces   []int64 // Space.Row
	Types    []string
	Tags     []string // any of them, or one nested in it as a/b is in a; with or without '#'; see AllTags
	AllTags  []string
	Statuses []kb.Status // of the page; others than kb.Statuses as its property status has them
	Paths    []string    // patterns of package glob, or prefixes ending in "/"; é in either of its spellings
	Titles   []string    // substrings
	// Permalinks are exact permalinks, or patterns in which * matches any
	// characters, slashes too, and ? one.
	Permalinks []string
	Categories []string  // of observations of the page; letters of ASCII without regard to case
	Wings      []string  // wings that contain these words adjacent and in order
	Where      []Where   // all of them
	After      time.Time // of a time in [After, Before), see below
	Before     time.Time
	// UpdatedSince selects pages updated at this time or later, regardless of
	// their Day.
	UpdatedSince time.Time
	// BeyondASCII selects all pages with characters beyond ASCII in slug,
	// title, aliases or tags, and possibly a few others.
	BeyondASCII bool
	// Orphans is for pages to which no link of another page leads.
	Orphans bool
	Not     *Filter // pages that match any one field of it are left out; After and Before are one
}

// Order sorts lists of pages.
type Order string

// The orders.
const (
	BySlug    Order = "slug"
	ByTitle   Order = "title"
	ByUpdated Order = "updated" // newest first
	ByCreated Order = "created" // newest first; pages without a date last
)

// Pages reads pages. All lists are stable: ties are ordered by slug, then Row.
type Pages interface {
	// Get returns pages in the order of rows; unknown rows are left out.
	Get(ctx context.Context, rows []int64) ([]kb.Page, error)
	// Places returns of pages only Row, Space, Slug and Updated, in the order of
	// Space and Slug; unknown rows are left out.
	Places(ctx context.Context, rows []int64) ([]kb.Page, error)
	// Newest returns the n of pages that were updated last, the latest first; those of one
	// time are in the order of their references. Unknown rows are left out.
	Newest(ctx context.Context, rows []int64, n int) ([]kb.Page, error)
	// Briefs returns, of the pages of the documents of a space, Row, ID, Title, Type,
	// Status, Summary and Updated, in the order of their rows.
	Briefs(ctx context.Context, space int64) ([]kb.Page, error)
	// Named returns, of the pages that a filter finds, Row, Title and Aliases, in the order of
	// their rows.
	Named(ctx context.Context, f Filter) ([]kb.Page, error)
	// ByID returns the pages with this id, at most one per space.
	ByID(ctx context.Context, id kb.ID) ([]kb.Page, error)
	// ByIDPrefix returns at most limit pages with an id that starts with these
	// digits.
	ByIDPrefix(ctx context.Context, digits string, limit int) ([]kb.Page, error)
	// Telling returns for each id the least number of its first digits that no
	// other page's id has: all and one more where several pages have the id.
	Telling(ctx context.Context, ids []kb.ID) (map[kb.ID]int, error)
	// ByIDs returns the rows of the pages with an id that passes a test,
	// ascending.
	ByIDs(ctx context.Context, pass func(kb.ID) bool) ([]int64, error)
	// ByPath returns the pages of a document, its own page first.
	ByPath(ctx context.Context, space int64, path string) ([]kb.Page, error)
	// ByNames returns, for each key, the pages that carry it as a name.
	// space 0 is all spaces.
	ByNames(ctx context.Context, space int64, keys []string) (map[string][]kb.Page, error)
	// List returns pages that match, and how many there are in all.
	List(ctx context.Context, f Filter, by Order, limit, offset int) (pages []kb.Page, total int, err error)
	// Rows returns the rows of all pages that match, ascending.
	Rows(ctx context.Context, f Filter) ([]int64, error)
	// Tags counts the tags of the pages that match, most frequent first.
	// Spellings that differ in case count as one and show the commonest.
	Tags(ctx context.Context, f Filter) ([]Count, error)
	// Statuses counts the pages of the spaces by status, most frequent first;
	// spaces empty is all.
	Statuses(ctx context.Context, spaces []int64) ([]Count, error)
	// Stats counts the contents of the spaces; spaces empty is all.
	Stats(ctx context.Context, spaces []int64) (Stats, error)
	// Warnings returns the warnings of the documents of a space.
	Warnings(ctx context.Context, space int64) ([]Warning, error)
	// Observations and Entries return a page's facts in order of position.
	Observations(ctx context.Context, page int64) ([]kb.Observation, error)
	Entries(ctx context.Context, page int64) ([]kb.Entry, error)
	// Properties returns the values of a page's properties in order of position.
	Properties(ctx context.Context, page int64) ([]kb.Property, error)
	// Declared returns the pages of a space that declare one of these ids,
	// whether they got it or another page did.
	Declared(ctx context.Context, space int64, ids []kb.ID) ([]Declaration, error)
	// Shared returns the ids that more than one page of a space declares, in
	// order.
	Shared(ctx context.Context, space int64) ([]kb.ID, error)
	// Holders returns the rows of the pages of a space that have these ids;
	// ids that nobody has are left out.
	Holders(ctx context.Context, space int64, ids []kb.ID) (map[kb.ID]int64, error)
	// SetID changes the id of a page, of its history and of the gaps that it
	// answers; kb.Conflict when
	// another page of the space has it.
	SetID(ctx context.Context, page int64, id kb.ID) error
}

// PagesByRow returns pages by their rows, which may repeat; unknown ones are left out.
func PagesByRow(ctx context.Context, tx Tx, rows []int64) (map[int64]kb.Page, error) {
	rows = slices.Clone(rows)
	slices.Sort(rows)
	pages, err := tx.Pages().Get(ctx, slices.Compact(rows))
	out := make(map[int64]kb.Page, len(pages))
	for _, p := range pages {
		out[p.Row] = p
	}
	return out, err
}

// Declaration is a page with an id in its document.
type Declaration struct {
	Page     kb.Page
	Declared kb.ID
}

// Count is a value with the number of its uses.
type Count struct {
	Value string
	N     int
}

// Stats are counts of the contents.
type Stats struct {
	LinkCounts
	Documents, Pages, Observations, Entries, Tags int
	Assertions                                    int     // whether they hold or not
	Chunks                                        []Count // vectors, by model
	Bytes                                         int64   // of the documents
	Types, Statuses                               []Count
}
